package dev.ebb.host.trace.synthetic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.trace.DecodedTrace;
import dev.ebb.host.trace.TraceCursor;
import dev.ebb.host.trace.TraceRequest;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SyntheticUsersTest {

  private static final int REQUESTS = 3000;

  private static DecodedTrace chat(SyntheticOptions options) {
    return DecodedTrace.decode(
        "chat", new SyntheticTrace(SyntheticTrace.Shape.CHAT, options.requests(REQUESTS)));
  }

  @Test
  void asManyConversationsAsUsersGoOnAtTheSameTime() {
    DecodedTrace trace = chat(new SyntheticOptions().users(5));
    Map<Long, Long> lastTurn = new HashMap<>();
    for (TraceCursor each = trace.cursor(); each.next(); ) {
      lastTurn.put(each.request().sequenceId(), each.requestsRead());
    }
    Set<Long> goingOn = new HashSet<>();
    long most = 0;
    long before = 0;
    for (TraceCursor each = trace.cursor(); each.next(); ) {
      TraceRequest request = each.request();
      assertThat(request.timestampNanos()).isGreaterThanOrEqualTo(before);
      before = request.timestampNanos();
      goingOn.add(request.sequenceId());
      if (lastTurn.getOrDefault(request.sequenceId(), -1L) == each.requestsRead()) {
        goingOn.remove(request.sequenceId());
      }
      most = Math.max(most, goingOn.size());
    }
    assertThat(most).isEqualTo(5);
  }

  @Test
  void withManyUsersTheRateDecides() {
    DecodedTrace unlimited = chat(new SyntheticOptions());
    DecodedTrace many = chat(new SyntheticOptions().users(REQUESTS));
    assertThat(many.ids()).isEqualTo(unlimited.ids());
  }
}
