package dev.ebb.dist;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.DelayQueue;
import java.util.concurrent.Delayed;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * Carries frames between racks, and delays, loses or blocks them. Works where the kernel has no
 * {@code netem}.
 */
final class RackSwitch {

  private static final int ADDRESS_BYTES = 6;

  private final List<Port> ports = new ArrayList<>();

  /** The port behind which an Ethernet address is. */
  private final Map<Long, Port> places = new ConcurrentHashMap<>();

  /** The state of what leads from one rack to the others. */
  private final Map<String, Link> links = new ConcurrentHashMap<>();

  private record Link(boolean blocked, long delayMillis, double loss) {
    static final Link GOOD = new Link(false, 0, 0);
  }

  /** Adds the devices of all racks, then carries their frames. */
  RackSwitch(Map<String, TapDevice> devices) {
    devices.forEach((rack, device) -> ports.add(new Port(rack, device)));
    ports.forEach(Port::start);
  }

  /** Blocks or opens what leads from and to a rack. */
  void block(String rack, boolean blocked) {
    links.merge(
        rack,
        new Link(blocked, 0, 0),
        (old, now) -> new Link(blocked, old.delayMillis(), old.loss()));
  }

  /** Delays what leads from and to a rack, in each direction, and loses a share of it. */
  void disturb(String rack, long delayMillis, double loss) {
    links.merge(
        rack,
        new Link(false, delayMillis, loss),
        (old, now) -> new Link(old.blocked(), delayMillis, loss));
  }

  private Link link(String rack) {
    return links.getOrDefault(rack, Link.GOOD);
  }

  private record Frame(byte[] bytes, long dueNanos) implements Delayed {
    @Override
    public long getDelay(TimeUnit unit) {
      return unit.convert(dueNanos - System.nanoTime(), TimeUnit.NANOSECONDS);
    }

    @Override
    public int compareTo(Delayed other) {
      return Long.compare(dueNanos, ((Frame) other).dueNanos);
    }
  }

  private final class Port {

    private final String rack;
    private final TapDevice device;
    private final DelayQueue<Frame> delayed = new DelayQueue<>();

    Port(String rack, TapDevice device) {
      this.rack = rack;
      this.device = device;
    }

    void start() {
      Thread.ofPlatform().daemon().name("rack-" + rack + "-in").start(this::receive);
      Thread.ofPlatform().daemon().name("rack-" + rack + "-out").start(this::sendDelayed);
    }

    private void receive() {
      MemorySegment frame = Arena.ofAuto().allocate(TapDevice.LARGEST_FRAME);
      for (int length = device.read(frame); length >= 0; length = device.read(frame)) {
        if (length >= 2 * ADDRESS_BYTES) {
          places.put(addressAt(frame, ADDRESS_BYTES), this);
          forward(frame, length);
        }
      }
    }

    private void forward(MemorySegment frame, int length) {
      Port known = places.get(addressAt(frame, 0));
      if (known != null) {
        carry(frame, length, known);
      } else {
        ports.forEach(each -> carry(frame, length, each));
      }
    }

    private void carry(MemorySegment frame, int length, Port to) {
      Link here = link(rack);
      Link there = link(to.rack);
      double kept = (1 - here.loss()) * (1 - there.loss());
      if (to == this
          || here.blocked()
          || there.blocked()
          || ThreadLocalRandom.current().nextDouble() >= kept) {
        return;
      }
      long millis = here.delayMillis() + there.delayMillis();
      if (millis == 0) {
        to.device.write(frame, length);
      } else {
        to.delayed.add(
            new Frame(
                frame.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE),
                System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis)));
      }
    }

    private void sendDelayed() {
      MemorySegment buffer = Arena.ofAuto().allocate(TapDevice.LARGEST_FRAME);
      try {
        while (true) {
          byte[] bytes = delayed.take().bytes();
          MemorySegment.copy(bytes, 0, buffer, ValueLayout.JAVA_BYTE, 0, bytes.length);
          device.write(buffer, bytes.length);
        }
      } catch (InterruptedException ended) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private static long addressAt(MemorySegment frame, int offset) {
    long address = 0;
    for (int i = 0; i < ADDRESS_BYTES; i++) {
      address = address << 8 | frame.get(ValueLayout.JAVA_BYTE, offset + i) & 0xff;
    }
    return address;
  }
}
