package dev.ebb.host.cli.serve;

import dev.ebb.host.app.Serving;
import dev.ebb.host.app.Systemd;
import dev.ebb.host.cli.options.ConfigOption;
import dev.ebb.host.cli.output.ServerLog;
import dev.ebb.host.cli.output.StopReport;
import dev.ebb.host.cluster.ClusterView;
import dev.ebb.host.cluster.directory.Node;
import dev.ebb.host.config.EbbConfig;
import dev.ebb.host.config.LoadedConfig;
import dev.ebb.host.lifecycle.ProcessDefaults;
import dev.ebb.host.plugin.PluginState;
import dev.ebb.host.units.ByteSize;
import dev.ebb.host.wiring.Host;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code ebb serve}: the process that clients connect to. Exits on SIGTERM or SIGINT. */
@Command(
    name = "serve",
    description = "Serves clients over RESP, the Redis protocol, from a pool outside the heap",
    footer = {
      "  ebb serve",
      "  ebb serve --pool-size '8 GiB' --eviction-policy arc",
      "  redis-cli -p 6380 set greeting hello"
    })
public final class ServeCommand implements Callable<Integer> {

  private static final Duration GRACE = Duration.ofSeconds(5);
  private static final int DAMAGED = 4;
  private static final long DAMAGE_NOTICE_SECONDS = 2;

  @Spec private CommandSpec spec;
  @Mixin private ConfigOption config;
  @Mixin private ServeGroup options;

  @Override
  public Integer call() {
    LoadedConfig loaded = config.load(options.overrides());
    refuseWrongOptions(loaded);
    ServerLog.use(loaded.config().log().format());
    OutOfMemory.endsProcess();
    CountDownLatch stopped = new CountDownLatch(1);
    CountDownLatch ended = new CountDownLatch(1);
    Thread serves = Thread.currentThread();
    try (Host host = Host.open(loaded)) {
      reportPlugins(host);
      host.verify();
      try (Serving serving = Serving.start(host)) {
        Runtime.getRuntime()
            .addShutdownHook(
                new Thread(() -> stop(loaded.config(), serves, stopped, ended), "shutdown"));
        announce(serving);
        try (Systemd _ = reportReady(serving)) {
          serve(serving, stopped);
        }
        serving.drain(GRACE);
      }
    } finally {
      ended.countDown();
    }
    return 0;
  }

  /** Reports mistakes in options as such, not as mistakes in the configuration. */
  private void refuseWrongOptions(LoadedConfig loaded) {
    List<String> wrong =
        loaded.problems().stream().filter(problem -> problem.startsWith("--")).toList();
    if (!wrong.isEmpty()) {
      throw new ParameterException(spec.commandLine(), String.join("; ", wrong));
    }
  }

  /** Reports refused plugins, which explains a missing policy later. */
  private void reportPlugins(Host host) {
    PrintWriter err = spec.commandLine().getErr();
    host.plugins().reports().stream()
        .filter(report -> report.state() == PluginState.REFUSED)
        .map(report ->
            "%s is not loaded: %s".formatted(report.file().getFileName(), report.reason()))
        .forEach(line -> err.println(ServerLog.line("plugins", line)));
    err.flush();
  }

  /** Reports to systemd; null if it did not start this process. */
  private @Nullable Systemd reportReady(Serving serving) {
    try {
      return Systemd.ready(System.getenv(), serving::answers);
    } catch (IOException failed) {
      PrintWriter err = spec.commandLine().getErr();
      err.println(ServerLog.line("serve", "cannot report to systemd: " + failed.getMessage()));
      err.flush();
      return null;
    }
  }

  private void announce(Serving serving) {
    PrintWriter out = spec.commandLine().getOut();
    out.println(
        "ebb: serving RESP%s on %s:%d, pool %s, policy %s"
            .formatted(
                serving.encrypted() ? " with TLS" : "",
                shown(serving.address().getAddress()),
                serving.address().getPort(),
                ByteSize.format(serving.poolBytes()),
                serving.policy()));
    Path unixSocket = serving.unixSocket();
    if (unixSocket != null) {
      out.println("ebb: serving RESP on the Unix socket " + unixSocket);
    }
    String kvEvents = serving.kvEventsEndpoint();
    if (kvEvents != null) {
      out.println("ebb: publishing KV events on " + kvEvents);
    }
    ClusterView cluster = serving.cluster();
    if (cluster != null) {
      Node self = cluster.self();
      out.println(
          "ebb: node %s of cluster %s on %s, rack %s, nodes: %d"
              .formatted(
                  self.name(), cluster.name(), self.host(), self.rack(), cluster.nodes().size()));
    }
    InetSocketAddress admin = serving.adminAddress();
    if (admin != null) {
      out.println(
          "ebb: dashboard, API and metrics at %s://%s:%d/"
              .formatted(serving.adminScheme(), shown(admin.getAddress()), admin.getPort()));
    }
    out.flush();
  }

  /** Formats it for an address line: in brackets if it is of version 6. */
  private static String shown(InetAddress address) {
    if (address.isAnyLocalAddress()) {
      return "0.0.0.0";
    }
    String text = address.getHostAddress();
    return address instanceof Inet6Address ? "[" + text + "]" : text;
  }

  /** The process exits with this thread, so it waits until everything is closed. */
  private void stop(EbbConfig config, Thread serves, CountDownLatch stopped, CountDownLatch ended) {
    PrintWriter err = spec.commandLine().getErr();
    Duration timeout = ShutdownWatchdog.CLOSE_TIMEOUT.plus(config.diskTier().stopTime());
    ShutdownWatchdog.start(err, serves, ended, timeout);
    if (ended.getCount() > 0) {
      StopReport.print(err, StopReport.reason());
    }
    stopped.countDown();
    await(ended);
  }

  /** Waits for the end, despite interrupts, and restores the defaults of the process meanwhile. */
  private static void serve(Serving serving, CountDownLatch stopped) {
    ProcessDefaults defaults = new ProcessDefaults();
    while (stopped.getCount() > 0) {
      try {
        if (!stopped.await(1, TimeUnit.SECONDS)) {
          defaults.restore();
          endIfDamaged(serving);
        }
      } catch (InterruptedException byAPlugin) {
        // Only a signal ends the server.
      }
    }
  }

  /**
   * Ends the process if the records of the cache contradict each other, so that its supervisor
   * starts another: closing would fail too. Before that, load balancers see that it is not ready.
   */
  private static void endIfDamaged(Serving serving) {
    String damage = serving.damage();
    if (damage == null) {
      return;
    }
    try {
      TimeUnit.SECONDS.sleep(DAMAGE_NOTICE_SECONDS);
      System.err.println(
          ServerLog.line(
              "serve",
              "the records of the cache are damaged: %s; the process ends with status %d so that it is started again. A plugin has changed them by reflection, perhaps that of policy '%s': if it happens again, remove the plugin"
                  .formatted(damage, DAMAGED, serving.policy())));
      System.err.flush();
    } catch (InterruptedException byAPlugin) {
      // Then the process ends earlier.
    } finally {
      Runtime.getRuntime().halt(DAMAGED);
    }
  }

  /** Waits despite interrupts: a plugin can interrupt any thread, which must not end anything. */
  private static void await(CountDownLatch latch) {
    while (latch.getCount() > 0) {
      try {
        latch.await();
      } catch (InterruptedException byAPlugin) {
        // The following steps must not be interrupted either.
      }
    }
  }
}
