package dev.ebb.host.resp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.store.RequestRouter;
import dev.ebb.host.store.RequestRouter.RankedNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** EBB.ROUTE, whose answer comes from another thread. */
@Timeout(60)
class RouteCommandTest {

  private static final long POOL = 4 << 20;

  /** A node that has the keys which start with its name, and one that has none. */
  private static final RequestRouter ROUTER =
      new RequestRouter() {
        @Override
        public CompletionStage<List<RankedNode>> route(List<byte[]> keys, int chunkTokens) {
          return CompletableFuture.supplyAsync(() -> {
            int prefix = 0;
            for (byte[] key : keys) {
              String text = new String(key, StandardCharsets.UTF_8);
              if (text.equals("lost")) {
                throw new IllegalStateException("the directory is lost");
              }
              if (prefix < keys.size() && text.startsWith("a")) {
                prefix++;
              }
            }
            List<RankedNode> nodes = new ArrayList<>();
            nodes.add(
                new RankedNode("a", "10.0.0.1:6380", prefix, (long) prefix * chunkTokens, 0, 1));
            nodes.add(new RankedNode("b", "10.0.0.2:6380", 0, 0, 1L << 40, 0.25));
            return nodes;
          });
        }
      };

  private static String node(String name, String address, long prefix, long saved, long move) {
    return "*6\r\n$1\r\n%s\r\n$13\r\n%s\r\n:%d\r\n:%d\r\n:%d\r\n"
        .formatted(name, address, prefix, saved, move);
  }

  private static String reply(long prefix, long saved) {
    return "*2\r\n"
        + node("a", "10.0.0.1:6380", prefix, saved, 0)
        + "$5\r\n1.000\r\n"
        + node("b", "10.0.0.2:6380", 0, 0, 1L << 40)
        + "$5\r\n0.250\r\n";
  }

  @Test
  void nodesAreRanked() throws IOException {
    try (RunningServer server = RunningServer.routed(POOL, ROUTER);
        RawClient client = new RawClient(server.port())) {
      assertThat(client.call("EBB.ROUTE", "a1", "a2", "b1")).isEqualTo(reply(2, 512));
      assertThat(client.call("ebb.route", "tokens", "16", "a1")).isEqualTo(reply(1, 16));
      assertThat(client.call("EBB.ROUTE", "TOKENS", "16", "TOKENS", "x")).isEqualTo(reply(0, 0));
      assertThat(client.call("PING")).isEqualTo("+PONG\r\n");
    }
  }

  @Test
  void mistakesAndFailuresAreErrors() throws IOException {
    try (RunningServer server = RunningServer.routed(POOL, ROUTER);
        RawClient client = new RawClient(server.port())) {
      assertThat(client.call("EBB.ROUTE")).startsWith("-ERR wrong number");
      assertThat(client.call("EBB.ROUTE", "TOKENS", "16")).startsWith("-ERR wrong number");
      assertThat(client.call("EBB.ROUTE", "TOKENS", "0", "a")).contains("'0'", "1 to ");
      assertThat(client.call("EBB.ROUTE", "TOKENS", "x", "a")).startsWith("-ERR");
      assertThat(client.call("EBB.ROUTE", "lost")).contains("directory", "send the command again");
      assertThat(client.call("EBB.ROUTE", "a1")).isEqualTo(reply(1, 256));
    }
  }

  @Test
  void withoutAClusterTheErrorSaysHowToEnableOne() throws IOException {
    try (RunningServer server = RunningServer.of(POOL);
        RawClient client = new RawClient(server.port())) {
      assertThat(client.call("EBB.ROUTE", "a")).contains("ebb.cluster.enabled = true");
    }
  }
}
