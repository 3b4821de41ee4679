package dev.ebb.host.cli;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.app.LazyJedis;
import dev.ebb.host.app.Serving;
import dev.ebb.host.cluster.MemoryCluster;
import dev.ebb.host.config.Configs;
import dev.ebb.host.testing.PluginJarBuilder;
import dev.ebb.host.wiring.Host;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.function.Function;
import redis.clients.jedis.Jedis;

/** A serving process on free ports for the command line to ask, with a client that fills it. */
final class RunningEbb implements AutoCloseable {

  private final Host host;
  private final Serving serving;
  private final Jedis jedis;

  private RunningEbb(Host host, Serving serving) {
    this.host = host;
    this.serving = serving;
    jedis = new LazyJedis(serving.address());
  }

  static RunningEbb start(Path home) {
    return start(home, "");
  }

  static RunningEbb start(Path home, String settings) {
    return start(home, settings, Serving::start);
  }

  /** A node of a cluster. */
  static RunningEbb start(Path home, MemoryCluster cluster) {
    return start(home, "", host -> Serving.start(host, cluster.module()));
  }

  private static RunningEbb start(Path home, String settings, Function<Host, Serving> serve) {
    PluginJarBuilder.plugin("acme")
        .version("1.2.3")
        .policy("first")
        .policy("second", "context.settings().integer(\"size\", 4, 1, 10);")
        .writeTo(Configs.plugins(home), "acme.jar");
    String fixed =
        """
        ebb.pool.size = 2 MiB
        ebb.server.port = 0
        ebb.admin.port = 0
        ebb.eviction.policy = first
        """;
    Host host = Host.open(Configs.of(home, fixed + settings));
    try {
      host.verify();
      return new RunningEbb(host, serve.apply(host));
    } catch (RuntimeException failed) {
      host.close();
      throw failed;
    }
  }

  String url() {
    return "%s://127.0.0.1:%d"
        .formatted(serving.adminScheme(), requireNonNull(serving.adminAddress()).getPort());
  }

  int port() {
    return serving.address().getPort();
  }

  void put(String key, int bytes) {
    put(key.getBytes(StandardCharsets.UTF_8), bytes);
  }

  void put(byte[] key, int bytes) {
    jedis.set(key, new byte[bytes]);
  }

  Jedis jedis() {
    return jedis;
  }

  /** Runs a command that asks this process. */
  Run run(String... arguments) {
    String[] all = new String[arguments.length + 2];
    System.arraycopy(arguments, 0, all, 0, arguments.length);
    all[arguments.length] = "--url";
    all[arguments.length + 1] = url();
    return Run.of(all);
  }

  @Override
  public void close() {
    jedis.close();
    serving.close();
    host.close();
  }
}
