use super::*;

/// `G16_HOST_INVALID_VALUE`.
const INVALID_VALUE: Status = 1;

fn open(seed: u64) -> HostDevice {
    let config = HostConfig { seed, threads: 2, memory_bytes: 1 << 20, ..HostConfig::default() };
    HostDevice::open(config).expect("a host device")
}

#[test]
fn copies_run_in_stream_order() {
    for seed in 0..4 {
        let device = open(seed);
        let bytes = 1000;
        let source: Vec<u8> = (0..bytes).map(|i| i as u8).collect();
        let mut back = vec![0; bytes];
        let stream = device.stream_create().expect("a stream");
        let memory = device.alloc(bytes).expect("memory");
        // SAFETY: all ranges live until the stream has been synchronised.
        unsafe {
            device.copy_to_device(memory, source.as_ptr(), bytes, stream).expect("upload");
            device.fill(memory, 7, 10, stream).expect("fill");
            device.copy_to_host(back.as_mut_ptr(), memory, bytes, stream).expect("download");
            device.stream_synchronize(stream).expect("synchronise");
            device.stream_destroy(stream).expect("destroy");
            device.free(memory).expect("free");
        }
        assert_eq!(back[..10], [7; 10]);
        assert_eq!(back[10..], source[10..]);
    }
}

#[test]
fn memory_has_a_limit() {
    let device = open(0);
    assert_eq!(device.memory().expect("memory"), (1 << 20, 1 << 20));
    let half = device.alloc(1 << 19).expect("half");
    let fault = device.alloc((1 << 19) + 1).expect_err("more than is left");
    assert!(fault.out_of_memory && !fault.lost, "{fault:?}");
    assert!(fault.text.contains("524289"), "{}", fault.text);
    assert_eq!(half as usize % 256, 0);
    // SAFETY: allocated above, used by nobody.
    unsafe { device.free(half).expect("free") };
    device.alloc(1 << 20).expect("all of it");
}

#[test]
fn a_copy_outside_its_allocation_is_refused() {
    let device = open(0);
    let memory = device.alloc(256).expect("memory");
    let stream = device.stream_create().expect("a stream");
    let source = [0u8; 512];
    // SAFETY: the runtime refuses the copy.
    let fault = unsafe { device.copy_to_device(memory, source.as_ptr(), 512, stream) };
    assert_eq!(fault.expect_err("too long").code, INVALID_VALUE);
}

#[test]
fn a_configuration_without_threads_is_refused() {
    let config = HostConfig { threads: 0, ..HostConfig::default() };
    assert_eq!(HostDevice::open(config).expect_err("no threads").code, INVALID_VALUE);
}
