//! The host target through the public API: what it keeps in order, and what it shows when a wait is
//! missing.

use groth16_cuda::device::{Device, Event, HostConfig};

const LEN: usize = 1000;

fn host(seed: u64) -> Device {
    let config = HostConfig { seed, threads: 2, memory_bytes: 1 << 24, ..HostConfig::default() };
    Device::host(config).expect("the host target opens")
}

/// Fills on one stream, copies on a second, downloads on a third; whether the download saw it all.
fn seen_through_three_streams(seed: u64, with_waits: bool) -> bool {
    let device = host(seed);
    let streams: Vec<_> = (0..3).map(|_| device.stream().expect("stream")).collect();
    let mut from = device.alloc::<u8>(LEN).expect("memory");
    let mut to = device.alloc::<u8>(LEN).expect("memory");
    let mut back = vec![0; LEN];
    streams[0].fill(1, from.view_mut()).expect("fill");
    let filled = streams[0].record().expect("record");
    if with_waits {
        streams[1].wait(&filled).expect("wait");
    }
    streams[1].copy(from.view(), to.view_mut()).expect("copy");
    let copied = streams[1].record().expect("record");
    if with_waits {
        streams[2].wait(&copied).expect("wait");
    }
    streams[2].download(to.view(), &mut back).expect("download");
    back.iter().all(|&byte| byte == 1)
}

#[test]
fn events_order_streams() {
    for seed in 0..12 {
        assert!(seen_through_three_streams(seed, true), "seed {seed}");
    }
}

#[test]
fn a_missing_wait_shows() {
    assert!(!seen_through_three_streams(0, false), "seed 0 runs what is needed and nothing else");
    let wrong = (2..22).filter(|&seed| !seen_through_three_streams(seed, false)).count();
    assert!(wrong > 2, "{wrong} of 20 random orders");
}

#[test]
fn fresh_memory_is_poison() {
    let device = host(0);
    let stream = device.stream().expect("stream");
    let buffer = device.alloc::<u8>(LEN).expect("memory");
    let mut back = vec![0; LEN];
    stream.download(buffer.view(), &mut back).expect("download");
    assert!(back.iter().all(|&byte| byte == 0xa5));
}

#[test]
fn dropped_memory_drains_the_device() {
    let device = host(0);
    let stream = device.stream().expect("stream");
    let mut kept = device.alloc::<u8>(LEN).expect("memory");
    let mut dropped = device.alloc::<u8>(LEN).expect("memory");
    stream.fill(3, dropped.view_mut()).expect("fill");
    stream.copy(dropped.view(), kept.view_mut()).expect("copy");
    drop(dropped);
    let mut back = vec![0; LEN];
    stream.download(kept.view(), &mut back).expect("download");
    assert!(back.iter().all(|&byte| byte == 3));
}

#[test]
fn events_happen_when_asked_for() {
    for seed in 0..6 {
        let device = host(seed);
        let stream = device.stream().expect("stream");
        let mut buffer = device.alloc::<u8>(LEN).expect("memory");
        let (start, end) =
            (Event::new(&device).expect("event"), Event::new(&device).expect("event"));
        start.record(&stream).expect("record");
        stream.fill(1, buffer.view_mut()).expect("fill");
        end.record(&stream).expect("record");
        while !end.has_happened().expect("query") {
            std::thread::yield_now();
        }
        assert!(start.elapsed_ms(&end).expect("times") >= 0.0);
        assert!(stream.is_idle().expect("query"));
    }
}
