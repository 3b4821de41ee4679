package dev.ebb.host.cluster.routing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.cluster.directory.Node;
import dev.ebb.host.cluster.directory.NodeState;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Which node a request goes to. */
class TokenRouterTest {

  private static final int CHUNK = 16;

  private long nanos;
  private final TokenRouter router = new TokenRouter(() -> nanos);

  private static Node node(String name, NodeState state, double load) {
    return new Node(
        name,
        Node.idOf(name),
        "r",
        "z",
        "10.0.0.1",
        7_481,
        name + ":6380",
        "",
        state,
        1,
        0,
        1,
        0,
        load,
        0,
        0,
        "");
  }

  private static Node node(String name) {
    return node(name, NodeState.ACTIVE, 10);
  }

  private static final List<Node> FOUR = List.of(node("a"), node("b"), node("c"), node("d"));

  private static int[] prompt(int conversation, int length) {
    int[] tokens = new int[length];
    Random random = new Random(conversation);
    Arrays.setAll(tokens, i -> i < 32 ? i : random.nextInt());
    return tokens;
  }

  private String best(int[] tokens, List<Node> nodes) {
    return router.route(tokens, CHUNK, nodes).getFirst().node().name();
  }

  @Test
  void conversationsStayOnTheirNodeAndAreSpread() {
    Map<Integer, String> first = new HashMap<>();
    Map<String, Integer> counts = new HashMap<>();
    for (int turn = 1; turn <= 5; turn++) {
      for (int conversation = 0; conversation < 100; conversation++) {
        nanos += TimeUnit.MILLISECONDS.toNanos(10);
        String node = best(prompt(conversation, 200 * turn), FOUR);
        assertThat(node).isEqualTo(first.computeIfAbsent(conversation, any -> node));
        counts.merge(node, turn == 1 ? 1 : 0, Integer::sum);
      }
    }
    // All prompts start with the same 32 tokens.
    assertThat(counts.values()).hasSize(4).allMatch(count -> count >= 15 && count <= 35);
  }

  @Test
  void theAnswerSaysWhatIsSaved() {
    String node = best(prompt(1, 100), FOUR);
    Route route = router.route(prompt(1, 164), CHUNK, FOUR).getFirst();
    assertThat(route.node().name()).isEqualTo(node);
    assertThat(route.prefixKeys()).isEqualTo(6);
    assertThat(route.tokensSaved()).isEqualTo(96);
    assertThat(route.bytesToMove()).isZero();
    assertThat(route.load()).isEqualTo(1);
  }

  @Test
  void aShortSharedPrefixDoesNotOutweighLoad() {
    List<Node> nodes = List.of(node("a", NodeState.ACTIVE, 100), node("b", NodeState.ACTIVE, 0));
    List<Node> onlyA = nodes.subList(0, 1);
    best(prompt(1, 1_000), onlyA);
    nanos += TimeUnit.MINUTES.toNanos(1);
    assertThat(best(prompt(2, 1_000), nodes)).isEqualTo("b");
    assertThat(best(prompt(1, 1_000), nodes)).isEqualTo("a");
  }

  @Test
  void nodesThatDrainGetNoRequestsWhileOthersAreActive() {
    int[] prompt = prompt(1, 500);
    assertThat(best(prompt, List.of(node("a")))).isEqualTo("a");
    List<Node> nodes = List.of(node("a", NodeState.DRAINING, 0), node("b"));
    assertThat(router.route(prompt, CHUNK, nodes))
        .extracting(route -> route.node().name())
        .containsExactly("b");
    assertThat(best(prompt, List.of(node("a", NodeState.DRAINED, 0)))).isEqualTo("a");
  }

  @Test
  void whatWasServedLongAgoIsForgotten() {
    int[] prompt = prompt(1, 500);
    best(prompt, FOUR);
    nanos += TimeUnit.HOURS.toNanos(1);
    assertThat(router.route(prompt, CHUNK, FOUR)).allMatch(route -> route.tokensSaved() == 0);
  }
}
