package dev.ebb.dist;

import static dev.ebb.dist.HostileJar.Outcome.QUARANTINED;
import static dev.ebb.dist.HostileJar.Outcome.SERVED;

import java.util.List;

/** Policies that misuse threads and locks of the process. */
final class HostileThreads extends HostileGroup {

  private HostileThreads() {}

  static List<HostileJar> all() {
    HostileThreads made = new HostileThreads();
    made.threads();
    made.locks();
    return made.jars();
  }

  private void threads() {
    String group = "threads";
    once(group, "daemon-forever", "create", "daemon(() -> sleepForever());", SERVED);
    once(group, "thread-forever", "create", "new Thread(() -> sleepForever()).start();", SERVED);
    once(
        group,
        "thousand-threads",
        "victim",
        "for (int i = 0; i < 1000; i++) daemon(() -> sleepMillis(3000));",
        SERVED,
        QUARANTINED);
    once(
        group,
        "busy-threads",
        "victim",
        "for (int i = 0; i < 4; i++) { Thread t = new Thread(() -> spinMillis(1500));"
            + " t.setDaemon(true); t.setPriority(10); t.start(); }",
        SERVED,
        QUARANTINED);
    once(
        group,
        "virtual-threads-spin",
        "victim",
        "for (int i = 0; i < 16; i++) Thread.startVirtualThread(() -> spinMillis(300));",
        SERVED,
        QUARANTINED);
    once(
        group,
        "virtual-threads-pinned",
        "victim",
        "for (int i = 0; i < 300; i++) Thread.startVirtualThread(() -> { synchronized (Bad.class) {"
            + " sleepMillis(10); } });",
        SERVED,
        QUARANTINED);
    once(
        group,
        "common-pool-stuck",
        "victim",
        "for (int i = 0; i < 64; i++) ForkJoinPool.commonPool().execute(() -> sleepForever());",
        SERVED);
    once(
        group,
        "common-pool-shutdown",
        "victim",
        "ForkJoinPool.commonPool().shutdownNow();",
        SERVED);
    add(
        group,
        "interrupts-itself",
        "victim",
        "Thread.currentThread().interrupt();",
        SERVED,
        QUARANTINED);
    add(
        group,
        "interrupts-all",
        "victim",
        "if (calls % 50 == 0) for (Thread t : Thread.getAllStackTraces().keySet()) t.interrupt();",
        SERVED,
        QUARANTINED);
    once(
        group,
        "interrupts-group",
        "victim",
        "ThreadGroup g = Thread.currentThread().getThreadGroup(); while (g.getParent() != null) g ="
            + " g.getParent(); g.interrupt();",
        SERVED,
        QUARANTINED);
    once(
        group,
        "changes-priorities",
        "victim",
        "for (Thread t : Thread.getAllStackTraces().keySet()) { t.setPriority(1); t.setName(\"x\");"
            + " t.setContextClassLoader(null); t.setUncaughtExceptionHandler((a, b) ->"
            + " sleepForever()); }",
        SERVED,
        QUARANTINED);
    once(
        group,
        "group-priority",
        "victim",
        "ThreadGroup g = Thread.currentThread().getThreadGroup(); while (g.getParent() != null) g ="
            + " g.getParent(); g.setMaxPriority(1);",
        SERVED);
    once(
        group,
        "waits-for-host-threads",
        "victim",
        "for (Thread t : Thread.getAllStackTraces().keySet()) if"
            + " (t.getName().startsWith(\"admin\")) { try { t.join(); } catch (InterruptedException"
            + " e) { } }",
        QUARANTINED,
        SERVED);
    once(
        group,
        "timer-and-pools",
        "create",
        "new Timer().schedule(new TimerTask() { public void run() { throw new"
            + " IllegalStateException(); } }, 1, 1);"
            + " Executors.newScheduledThreadPool(4).scheduleAtFixedRate(() -> { }, 1, 1,"
            + " TimeUnit.MILLISECONDS);",
        SERVED);
    once(
        group,
        "shutdown-hook-hangs",
        "create",
        "Runtime.getRuntime().addShutdownHook(new Thread(() -> sleepForever()));",
        SERVED);
    once(
        group,
        "thread-local-leak",
        "victim",
        "new ThreadLocal<byte[]>().set(new byte[10 << 20]);",
        SERVED);
    once(
        group,
        "park-unpark",
        "victim",
        "for (Thread t : Thread.getAllStackTraces().keySet()) for (int i = 0; i < 100; i++)"
            + " java.util.concurrent.locks.LockSupport.unpark(t);",
        SERVED,
        QUARANTINED);
  }

  private void locks() {
    String group = "locks";
    for (String[] each :
        new String[][] {
          {"locks-entry", "first"},
          {"locks-context", "context"},
          {"locks-itself", "this"},
          {"locks-demand", "demand"},
          {"locks-spi-class", "BlockPolicy.class"},
          {"locks-system-out", "System.out"},
          {"locks-logger-factory", "org.slf4j.LoggerFactory.getILoggerFactory()"},
          {"locks-own-loader", "Bad.class.getClassLoader()"},
          {"locks-spi-loader", "BlockPolicy.class.getClassLoader()"},
          {"locks-runtime", "Runtime.getRuntime()"},
          {"locks-properties", "System.getProperties()"},
          {"locks-host-class", "first.getClass()"},
        }) {
      once(
          group,
          each[0],
          "victim",
          "Object lock = "
              + each[1]
              + "; daemon(() -> { synchronized (lock) { sleepMillis(3000); } }); sleepMillis(20);",
          SERVED,
          QUARANTINED);
    }
    once(
        group,
        "locks-all-threads",
        "victim",
        "for (Thread t : Thread.getAllStackTraces().keySet()) daemon(() -> { synchronized (t) {"
            + " sleepMillis(3000); } });",
        SERVED,
        QUARANTINED);
    once(
        group,
        "locks-entry-in-call",
        "victim",
        "synchronized (first) { sleepForever(); }",
        QUARANTINED);
  }
}
