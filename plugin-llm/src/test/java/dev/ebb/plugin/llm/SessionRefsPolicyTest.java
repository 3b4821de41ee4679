package dev.ebb.plugin.llm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.spi.RemovalCause;
import dev.ebb.spi.sim.SimDemand;
import dev.ebb.spi.sim.SimEntry;
import dev.ebb.spi.sim.SimRequest;
import dev.ebb.testkit.TestContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The order of SGLang's sessions: unreferenced blocks, those of one session, shared ones. */
class SessionRefsPolicyTest {

  private final TestContext context = TestContext.ofCapacity(100).with("session-timeout", "10 m");
  private final SessionRefsPolicy policy = new SessionRefsPolicy(context);
  private final Map<Integer, SessionRefsPolicy.Node> nodes = new LinkedHashMap<>();
  private final Map<Integer, SimEntry> entries = new LinkedHashMap<>();
  private long tick;

  @Test
  void whatFewerSessionsReferenceIsEvictedFirstAndAmongEqualsTheColdest() {
    serve(1, 0, 10, 11, 12);
    serve(2, 0, 10, 13);
    serve(-1, 0, 10, 14);

    // 10 is referenced by both sessions, 14 by none; a prompt uses its first block last.
    assertThat(victims()).containsExactly(14, 12, 11, 13, 10);
  }

  @Test
  void aBlockThatItsSessionUsesAgainHasOneReference() {
    serve(1, 0, 10, 11);
    serve(1, 0, 10, 11, 12);

    assertThat(nodes.values()).extracting(policy::score).containsOnly(1.0);
    assertThat(policy.gauges()).containsEntry("sessions", 1.0).containsEntry("referenced", 3.0);
  }

  @Test
  void aSessionThatDemotesItsBlocksIsClosed() {
    serve(1, 0, 10, 11);
    serve(2, 0, 20, 21);
    serve(2, -1, 20, 21);

    assertThat(victims()).containsExactly(21, 20, 11, 10);
  }

  @Test
  void anIdleSessionIsClosedByTheNextRequest() {
    serve(1, 0, 10, 11);
    context.clock().advance(Duration.ofMinutes(9));
    serve(2, 0, 20, 21);
    context.clock().advance(Duration.ofMinutes(2));
    serve(3, 0, 30);

    assertThat(victims()).containsExactly(11, 10, 21, 20, 30);
  }

  @Test
  void aSessionThatGoesOnWithAnotherPromptLeavesTheEarlierOne() {
    serve(1, 0, 10, 11, 12);
    serve(1, 0, 10, 15);

    assertThat(policy.score(nodes.get(11))).isZero();
    assertThat(policy.score(nodes.get(12))).isEqualTo(1);
    assertThat(victims()).containsExactly(11, 12, 15, 10);
  }

  private void serve(long session, int retention, int... ids) {
    SimRequest prompt = new SimRequest(ids);
    prompt.sequenceId = session;
    prompt.retention = retention;
    policy.began(prompt);
    for (int depth = ids.length - 1; depth >= 0; depth--) {
      SimEntry known = entries.get(ids[depth]);
      SimEntry entry = known == null ? new SimEntry(ids[depth]) : known;
      entry.depth = depth;
      entry.lastAccessTick = ++tick;
      if (known == null) {
        entries.put(entry.id, entry);
        nodes.put(entry.id, policy.inserted(entry));
      } else {
        policy.accessed(nodes.get(entry.id));
      }
    }
    policy.ended(prompt);
  }

  /** Evicts everything. */
  private List<Integer> victims() {
    List<Integer> victims = new ArrayList<>();
    while (policy.victim(SimDemand.ONE_BLOCK) instanceof SimEntry victim) {
      victims.add(victim.id);
      policy.removed(nodes.get(victim.id), RemovalCause.EVICTED);
    }
    return victims;
  }
}
