// Names of functions, from the symbol table of the file that they were loaded from. Only error
// stories ask.
#include <cxxabi.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "simt/host_block.h"

namespace g16_host_runtime {

namespace {

struct Module {
    uintptr_t address;
    uintptr_t bias = 0;
    std::string path;
};

int find_module(dl_phdr_info* info, size_t, void* data) {
    auto* module = static_cast<Module*>(data);
    for (int i = 0; i < info->dlpi_phnum; ++i) {
        const auto& header = info->dlpi_phdr[i];
        uintptr_t start = info->dlpi_addr + header.p_vaddr;
        if (header.p_type == PT_LOAD && module->address - start < header.p_memsz) {
            module->bias = info->dlpi_addr;
            bool main = info->dlpi_name == nullptr || info->dlpi_name[0] == '\0';
            module->path = main ? "/proc/self/exe" : info->dlpi_name;
            return 1;
        }
    }
    return 0;
}

// The symbol at `value` in the ELF file at `file`, or null.
const char* find_symbol(const unsigned char* file, size_t bytes, uintptr_t value) {
    if (bytes < sizeof(ElfW(Ehdr)) || memcmp(file, ELFMAG, SELFMAG) != 0) return nullptr;
    const auto* header = reinterpret_cast<const ElfW(Ehdr)*>(file);
    size_t table_bytes = sizeof(ElfW(Shdr)) * header->e_shnum;
    if (header->e_shoff > bytes || table_bytes > bytes - header->e_shoff) return nullptr;
    const auto* sections = reinterpret_cast<const ElfW(Shdr)*>(file + header->e_shoff);
    for (size_t i = 0; i < header->e_shnum; ++i) {
        const auto& section = sections[i];
        if (section.sh_type != SHT_SYMTAB && section.sh_type != SHT_DYNSYM) continue;
        if (section.sh_link >= header->e_shnum) continue;
        const auto& names = sections[section.sh_link];
        if (section.sh_offset + section.sh_size > bytes) continue;
        if (names.sh_offset + names.sh_size > bytes) continue;
        const auto* symbols = reinterpret_cast<const ElfW(Sym)*>(file + section.sh_offset);
        for (size_t s = 0; s < section.sh_size / sizeof(ElfW(Sym)); ++s) {
            const auto& symbol = symbols[s];
            if ((symbol.st_info & 0xf) == STT_FUNC && symbol.st_value == value &&
                symbol.st_name < names.sh_size) {
                return reinterpret_cast<const char*>(file + names.sh_offset + symbol.st_name);
            }
        }
    }
    return nullptr;
}

std::string demangled(const char* name) {
    int status = 0;
    char* text = abi::__cxa_demangle(name, nullptr, nullptr, &status);
    std::string result = text == nullptr ? name : text;
    free(text);
    return result;
}

}  // namespace

std::string function_name(const void* address) {
    Module module{reinterpret_cast<uintptr_t>(address), 0, ""};
    std::string result;
    if (dl_iterate_phdr(find_module, &module) != 0) {
        int file = open(module.path.c_str(), O_RDONLY | O_CLOEXEC);
        struct stat about;
        if (file >= 0 && fstat(file, &about) == 0 && about.st_size > 0) {
            size_t bytes = static_cast<size_t>(about.st_size);
            void* mapped = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, file, 0);
            if (mapped != MAP_FAILED) {
                const char* name = find_symbol(static_cast<const unsigned char*>(mapped), bytes,
                                               module.address - module.bias);
                if (name != nullptr) result = demangled(name);
                (void)munmap(mapped, bytes);
            }
        }
        if (file >= 0) (void)close(file);
    }
    if (result.empty()) {
        char text[64];
        snprintf(text, sizeof text, "at offset 0x%zx",
                 static_cast<size_t>(module.address - module.bias));
        result = text;
    }
    return result;
}

}  // namespace g16_host_runtime
