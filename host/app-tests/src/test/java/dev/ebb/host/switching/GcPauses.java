package dev.ebb.host.switching;

import com.sun.management.GarbageCollectionNotificationInfo;
import com.sun.management.GcInfo;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.management.ListenerNotFoundException;
import javax.management.Notification;
import javax.management.NotificationEmitter;
import javax.management.NotificationListener;
import javax.management.openmbean.CompositeData;

/** Records the garbage collections of this process until it is closed. */
final class GcPauses implements AutoCloseable, NotificationListener {

  /** The clocks of the collectors and of the system differ by some milliseconds. */
  private static final Duration CLOCKS_DIFFER = Duration.ofMillis(5);

  private record Pause(Instant from, Instant to) {}

  private final Instant start =
      Instant.ofEpochMilli(ManagementFactory.getRuntimeMXBean().getStartTime());
  private final List<Pause> pauses = new CopyOnWriteArrayList<>();

  GcPauses() {
    emitters().forEach(each -> each.addNotificationListener(this, null, null));
  }

  @Override
  public void handleNotification(Notification notification, Object handback) {
    if (notification.getUserData() instanceof CompositeData data) {
      GcInfo gc = GarbageCollectionNotificationInfo.from(data).getGcInfo();
      pauses.add(new Pause(start.plusMillis(gc.getStartTime()), start.plusMillis(gc.getEndTime())));
    }
  }

  /** Returns whether a collection overlapped a period; one that has just ended may be unknown. */
  boolean touch(Instant from, Instant to) {
    return pauses.stream()
        .anyMatch(pause ->
            pause.from().isBefore(to.plus(CLOCKS_DIFFER))
                && pause.to().isAfter(from.minus(CLOCKS_DIFFER)));
  }

  @Override
  public void close() {
    emitters()
        .forEach(each -> {
          try {
            each.removeNotificationListener(this);
          } catch (ListenerNotFoundException gone) {
            throw new AssertionError(gone);
          }
        });
  }

  private static List<NotificationEmitter> emitters() {
    List<GarbageCollectorMXBean> beans = ManagementFactory.getGarbageCollectorMXBeans();
    return beans.stream().map(NotificationEmitter.class::cast).toList();
  }
}
