//! The device that tests of kernels run on: the suite's, and unit tests.

use groth16_cuda::device::{Device, HostConfig};

/// The host target; `G16_TEST_SEED`, `G16_TEST_THREADS` choose its order and threads, and
/// `G16_TEST_DEVICE=cuda:0` a GPU in a build that has the feature.
pub fn device() -> Device {
    device_in_order(None)
}

/// As [`device`], with this order on the host target where `G16_TEST_SEED` chooses none.
pub fn device_in_order(seed: Option<u64>) -> Device {
    if let Ok(name) = std::env::var("G16_TEST_DEVICE")
        && name != "host"
    {
        return gpu(&name);
    }
    let mut config = HostConfig::default();
    if let Some(seed) = number("G16_TEST_SEED").or(seed) {
        config.seed = seed;
    }
    if let Some(threads) = number("G16_TEST_THREADS") {
        config.threads = usize::try_from(threads).expect("a thread count");
    }
    Device::host(config).expect("the host target opens")
}

/// Whether there is a GPU's speed, for sizes that take the host target minutes.
pub fn is_gpu(device: &Device) -> bool {
    device.name() != "host"
}

fn number(variable: &str) -> Option<u64> {
    let text = std::env::var(variable).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{variable}={text} is no number")))
}

#[cfg(feature = "cuda")]
fn gpu(name: &str) -> Device {
    let ordinal = name.strip_prefix("cuda:").and_then(|n| n.parse().ok());
    Device::cuda(ordinal.unwrap_or_else(|| panic!("{name} is no device"))).expect("the GPU opens")
}

#[cfg(not(feature = "cuda"))]
fn gpu(name: &str) -> Device {
    panic!("{name} needs the feature cuda")
}
