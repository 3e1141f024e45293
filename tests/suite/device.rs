//! The device that the kernel tests run on, and tests of devices themselves.

use groth16_cuda::device::{Device, HostConfig};

pub use crate::target::device;

#[test]
fn copies_come_back() {
    let device = device();
    let stream = device.stream().expect("stream");
    let data: Vec<u64> = (0..1000).collect();
    let mut buffer = device.alloc::<u64>(1000).expect("memory");
    let mut twin = device.alloc::<u64>(1000).expect("memory");
    stream.upload(&data, buffer.view_mut()).expect("upload");
    stream.copy(buffer.view(), twin.view_mut()).expect("copy");
    stream.fill(0, buffer.view_mut()).expect("fill");
    let mut back = vec![1_u64; 1000];
    stream.download(twin.view(), &mut back).expect("download");
    assert_eq!(back, data);
    stream.download(buffer.view(), &mut back).expect("download");
    assert!(back.iter().all(|&x| x == 0));
}

#[test]
fn another_devices_memory_is_refused() {
    let (one, two) = (device(), device());
    let mut buffer = one.alloc::<u8>(16).expect("memory");
    let stream = two.stream().expect("stream");
    let error = stream.fill(0, buffer.view_mut()).expect_err("refused");
    assert!(error.to_string().contains("another device"), "{error}");
}

#[test]
fn elements_without_a_size_are_refused() {
    let mut buffer = device().alloc::<u8>(16).expect("memory");
    assert!(buffer.view().cast::<[u8; 0]>().is_err());
    assert!(buffer.view_mut().cast::<[u8; 0]>().is_err());
    assert_eq!(buffer.view().cast::<u64>().expect("aligned").len(), 2);
}

#[test]
fn another_devices_events_are_refused() {
    let (one, two) = (device(), device());
    let (stream, other) = (one.stream().expect("stream"), two.stream().expect("stream"));
    let event = stream.record().expect("event");
    assert!(other.wait(&event).is_err());
    assert!(event.record(&other).is_err());
    let foreign = other.record().expect("event");
    assert!(event.elapsed_ms(&foreign).is_err());
    stream.wait(&event).expect("its own");
}

#[test]
fn memory_that_is_not_there_is_an_error() {
    let device =
        Device::host(HostConfig { memory_bytes: 1 << 20, ..HostConfig::default() }).expect("host");
    let error = device.alloc::<u8>(2 << 20).expect_err("too much");
    assert!(matches!(
        error,
        groth16_cuda::Error::InsufficientVram { needed, available }
            if needed == 2 << 20 && available == 1 << 20
    ));
    assert!(device.alloc::<u64>(usize::MAX / 2).is_err());
}

#[cfg(feature = "cuda")]
#[test]
fn a_gpu_that_is_not_there_is_an_error() {
    use groth16_cuda::Error;
    match Device::cuda(u32::MAX) {
        Err(Error::NoDriver { text }) => assert!(!text.is_empty()),
        Err(Error::NoSuchDevice { ordinal, count }) => {
            assert!(ordinal == u32::MAX && count < ordinal);
        }
        other => panic!("{other:?}"),
    }
}
