package dev.ebb.host.replay;

import dev.ebb.host.cache.execution.PolicyCandidate;
import dev.ebb.host.cache.simulation.SimulatedClock;
import dev.ebb.host.group.SizedGroups;
import dev.ebb.host.trace.DecodedTrace;
import dev.ebb.host.trace.OnError;
import dev.ebb.host.trace.TraceReader;
import dev.ebb.spi.BlockPolicy;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Replays the lines of a trace, which is read in pieces. */
final class TestReplay {

  static final int BLOCK_TOKENS = 16;

  private TestReplay() {}

  /**
   * Replays a trace.
   *
   * @param piece requests that are read at a time
   * @param prepare runs before the first request
   */
  static ReplayResult run(
      ReplayModel model,
      BlockPolicy<?> policy,
      int capacity,
      int lookahead,
      @Nullable SizedGroups groups,
      String lines,
      long piece,
      boolean timed,
      Consumer<ReplayRun> prepare) {
    byte[] bytes = lines.getBytes(StandardCharsets.UTF_8);
    try (TraceReader reader =
            TraceReader.of("test", new ByteArrayInputStream(bytes), OnError.STOP);
        ReplayRun run =
            new ReplayRun(
                model,
                new PolicyCandidate("tested", policy),
                capacity,
                BLOCK_TOKENS,
                new SimulatedClock(),
                lookahead,
                timed,
                groups)) {
      prepare.accept(run);
      DecodedTrace decoded;
      do {
        decoded =
            DecodedTrace.decode(
                "test", reader, piece, any -> true, model::keys, (count, part) -> {});
        run.feed(decoded.cursor(), count -> {});
      } while (decoded.requests() > 0);
      return run.result("test");
    }
  }
}
