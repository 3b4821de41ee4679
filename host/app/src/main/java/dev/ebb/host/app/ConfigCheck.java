package dev.ebb.host.app;

import dev.ebb.host.admin.AdminServer;
import dev.ebb.host.cache.policy.NoEviction;
import dev.ebb.host.cluster.ClusterModule;
import dev.ebb.host.config.ConfigEntry;
import dev.ebb.host.config.EbbConfig;
import dev.ebb.host.config.EvictionLogConfig;
import dev.ebb.host.config.LoadedConfig;
import dev.ebb.host.config.PolicySpec;
import dev.ebb.host.config.server.AdminConfig.AdminChoice;
import dev.ebb.host.device.Device;
import dev.ebb.host.disk.tier.TierFiles;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.http.Json;
import dev.ebb.host.plugin.PluginReport;
import dev.ebb.host.plugin.PluginState;
import dev.ebb.host.plugin.StrategyKind;
import dev.ebb.host.policy.PolicyFactory;
import dev.ebb.host.resp.RespModule;
import dev.ebb.host.resp.net.UnixSocketFile;
import dev.ebb.host.sequences.SequenceServer;
import dev.ebb.host.sequences.SequenceSettings;
import dev.ebb.host.sequences.SequencesModule;
import dev.ebb.host.shadow.ShadowHeap;
import dev.ebb.host.store.ObjectStore;
import dev.ebb.host.store.StoreModule;
import dev.ebb.host.tls.TlsFiles;
import dev.ebb.host.units.ByteSize;
import dev.ebb.host.wiring.Host;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Checks everything that serving needs, without serving. */
public final class ConfigCheck {

  public enum Level {
    OK,
    /** Suspicious, but Ebb would serve. */
    WARNING,
    /** Wrong: Ebb would refuse to serve. */
    WRONG;

    @Override
    public String toString() {
      return Json.word(this);
    }
  }

  /**
   * A finding.
   *
   * @param subject the checked part: {@code keys}, {@code plugins}, {@code policy}, {@code pool},
   *     {@code shadow}, {@code server}, {@code admin}, {@code cluster}, {@code disk}, {@code state}
   *     or {@code log}
   */
  public record Finding(Level level, String subject, String text) {}

  private static final Pattern KEY = Pattern.compile("\\bebb(\\.[a-z-]+)+");

  private final LoadedConfig loaded;
  private final EbbConfig config;
  private final List<Finding> findings = new ArrayList<>();

  private ConfigCheck(LoadedConfig loaded) {
    this.loaded = loaded;
    this.config = loaded.config();
  }

  /**
   * Checks a configuration, its plugins, and this machine.
   *
   * @return the findings, every mistake included; the pool and the ports are opened and closed
   *     again
   */
  public static List<Finding> findings(LoadedConfig loaded) {
    ConfigCheck check = new ConfigCheck(loaded);
    check.plugins();
    check.attempt("pool", check::pool);
    check.shadows();
    check.attempt("server", check::server);
    check.attempt("admin", check::admin);
    check.attempt("cluster", check::cluster);
    check.attempt("disk", check::disk);
    check.attempt("state", check::state);
    check.attempt("log", check::log);
    return List.copyOf(check.findings);
  }

  private void plugins() {
    try (Host host = Host.open(loaded)) {
      attempt("keys", () -> keys(host));
      jars(host);
      attempt("policy", () -> policy(host));
    } catch (UserError noFolder) {
      attempt("keys", loaded::orThrow);
      wrong("plugins", noFolder);
    }
  }

  private void keys(Host host) {
    host.verify();
    if (config.server().sequencesBytes() > 0) {
      SequenceSettings.requireUsable(host, config.tokens());
    }
    ok("keys", "no mistake in keys, values and strategies' settings");
  }

  private void jars(Host host) {
    List<PluginReport> reports = host.plugins().reports();
    long served = reports.stream().filter(each -> each.state() == PluginState.LOADED).count();
    ok(
        "plugins",
        "%d of %d JARs in '%s' are loaded"
            .formatted(served, reports.size(), config.plugins().folder()));
    reports.stream()
        .filter(report -> !report.reason().isEmpty())
        .forEach(report ->
            warn("plugins", "%s: %s".formatted(report.file().getFileName(), report.reason())));
  }

  private void policy(Host host) {
    String name = config.eviction().policy().name();
    if (name.equals(NoEviction.NAME)) {
      ok("policy", "none: nothing is evicted, and a full pool rejects new values");
      return;
    }
    List<String> reported =
        findings.stream()
            .filter(finding -> finding.level() == Level.WRONG)
            .map(Finding::text)
            .toList();
    List<String> problems = host.policies().problems(PolicySpec.of(name));
    UserError.throwIfAny(
        problems.stream()
            .filter(problem -> reported.stream().noneMatch(text -> text.endsWith(problem)))
            .toList());
    if (!problems.isEmpty()) {
      return;
    }
    List<String> among = PolicyFactory.chosenAmong(config);
    if (!among.isEmpty()) {
      ok("policy", "%s, which chooses among %s".formatted(name, String.join(", ", among)));
      return;
    }
    ok(
        "policy",
        "%s, of the plugin %s"
            .formatted(name, host.plugins().strategy(StrategyKind.POLICY, name).pluginId()));
  }

  private void pool() {
    try (Device device = StoreModule.device(config)) {
      String memory = device.memory().describe();
      try (ObjectStore store = StoreModule.open(config, device)) {
        ok("pool", "%s; %s".formatted(ByteSize.format(store.stats().capacityBytes()), memory));
        List<Integer> nodes = device.topology().numaNodes();
        if (!nodes.isEmpty()) {
          ok("pool", "NUMA nodes %s, %s".formatted(nodes, device.topology().numaPolicy()));
        }
        SequenceServer.check(config, device);
      }
    }
  }

  private void shadows() {
    String warning =
        ShadowHeap.warning(
            config.shadow().policies(), config.shadow().rate(), Runtime.getRuntime().maxMemory());
    if (warning != null) {
      warn("shadow", warning);
    }
  }

  private void server() {
    attempt("server", () -> checkTls(config.server().listen().tls(), "ebb.server.tls"));
    attempt("server", this::sequences);
    Path socket = config.server().unixSocket();
    if (socket != null) {
      attempt("server", () -> unixSocket(socket));
    }
    port("server", RespModule.options(config).address(), "RESP");
  }

  private void sequences() {
    var _ = new SequencesModule(config);
  }

  private void unixSocket(Path socket) {
    if (UnixSocketFile.isInUse(socket)) {
      warn(
          "server",
          "another server listens on '%s' now; this is expected if Ebb is already running"
              .formatted(socket));
    } else {
      UnixSocketFile.prepare(socket).close();
      ok("server", "RESP on '%s', which is free".formatted(socket));
    }
  }

  private void admin() {
    if (config.admin().enabled() == AdminChoice.FALSE) {
      ok("admin", "off");
    } else {
      refuseOnePort();
      checkTls(config.admin().listen().tls(), "ebb.admin.tls");
      port("admin", AdminServer.options(config.admin(), "--admin-port").address(), "HTTP");
    }
  }

  private void cluster() {
    if (config.cluster().enabled()) {
      var _ = new ClusterModule(config);
      checkTls(config.cluster().tls(), "ebb.cluster.tls");
      port("cluster", config.cluster().memberAddress(), "members");
      port("cluster", config.cluster().transferAddress(), "values");
    }
  }

  private void disk() {
    if (config.diskTier().isOn()) {
      TierFiles.check(config.diskTier());
      ok("disk", TierFiles.names(config.diskTier()));
    }
  }

  private static void checkTls(@Nullable TlsFiles files, String section) {
    if (files != null) {
      files.check(section);
    }
  }

  /** Refuses one port for both servers: each alone would be free. */
  private void refuseOnePort() {
    int port = config.admin().listen().port();
    if (port != 0 && port == config.server().listen().port()) {
      throw new UserError(
          "ebb.admin.port = '%d' is also ebb.server.port; choose another port for one of them"
              .formatted(port));
    }
  }

  /** Checks the eviction log; creates nothing. */
  private void log() {
    EvictionLogConfig log = config.evictionLog();
    if (log.enabled()) {
      Path file = log.file().toAbsolutePath();
      Path place = place(file);
      boolean itself = file.equals(place);
      if (place == null || !Files.isWritable(place) || itself == Files.isDirectory(place)) {
        throw new UserError(
            "ebb.eviction.log-file = '%s' cannot be written, because of '%s'; name another file"
                .formatted(file, place));
      }
      ok("log", "evictions go to '%s'".formatted(file));
    }
  }

  /** Checks the folder of learned state; creates nothing. */
  private void state() {
    Path folder = config.state().folder();
    if (folder != null) {
      Path place = place(folder.toAbsolutePath());
      if (place == null || !Files.isDirectory(place) || !Files.isWritable(place)) {
        throw new UserError(
            "ebb.state.folder = '%s' cannot be written, because of '%s'; name another folder"
                .formatted(folder, place));
      }
      ok("state", "learned state goes to '%s'".formatted(folder));
    }
  }

  /** Returns a file, or the nearest folder above it that exists. */
  private static @Nullable Path place(Path file) {
    Path place = file;
    while (place != null && !Files.exists(place)) {
      place = place.getParent();
    }
    return place;
  }

  private void port(String subject, InetSocketAddress address, String protocol) {
    String shown = address.getAddress().getHostAddress() + ":" + address.getPort();
    try (ServerSocket socket = new ServerSocket()) {
      socket.setReuseAddress(true);
      socket.bind(address);
      ok(subject, "%s on %s, which is free".formatted(protocol, shown));
    } catch (BindException taken) {
      warn(
          subject,
          "cannot listen on '%s' now: %s; this is expected if Ebb is already running"
              .formatted(shown, taken.getMessage()));
    } catch (IOException | IllegalArgumentException refused) {
      wrong(subject, new UserError("cannot listen on '%s': %s".formatted(shown, refused)));
    }
  }

  private void attempt(String subject, Runnable check) {
    try {
      check.run();
    } catch (UserError mistakes) {
      wrong(subject, mistakes);
    }
  }

  private void ok(String subject, String text) {
    findings.add(new Finding(Level.OK, subject, text));
  }

  private void warn(String subject, String text) {
    findings.add(new Finding(Level.WARNING, subject, text));
  }

  private void wrong(String subject, UserError mistakes) {
    mistakes
        .messages()
        .forEach(text -> findings.add(new Finding(Level.WRONG, subject, located(text))));
  }

  /** Puts the file and line of the first key that a message names before it. */
  private String located(String text) {
    Matcher key = KEY.matcher(text);
    if (!key.find()) {
      return text;
    }
    return loaded.tree().entries().stream()
        .filter(entry -> entry.key().equals(key.group()))
        .map(ConfigEntry::origin)
        .filter(origin -> origin != null && !text.startsWith(origin))
        .findFirst()
        .map(origin -> origin + ": " + text)
        .orElse(text);
  }
}
