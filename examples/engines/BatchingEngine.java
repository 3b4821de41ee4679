import dev.ebb.host.engine.Ebb;
import dev.ebb.host.engine.EbbOptions;
import dev.ebb.host.engine.request.Namespace;
import dev.ebb.host.engine.request.SequenceRequest;
import dev.ebb.host.engine.sequence.KvAccess;
import dev.ebb.host.engine.sequence.ScheduledSequence;
import dev.ebb.host.pool.DType;
import dev.ebb.host.pool.KvLayout;
import dev.ebb.host.scheduler.Batch;
import dev.ebb.host.scheduler.BatchEngine;
import dev.ebb.host.scheduler.PreemptionRules;
import dev.ebb.host.scheduler.ScheduledRequest;
import dev.ebb.host.scheduler.Scheduler;
import dev.ebb.host.scheduler.SchedulerLoop;
import dev.ebb.host.scheduler.SchedulerOptions;
import dev.ebb.host.scheduler.Submission;
import java.io.PrintStream;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Batches two prompts with the same beginning. Its model counts: after 9 comes 10. */
public final class BatchingEngine implements BatchEngine<ScheduledSequence> {

  static final int BLOCK_TOKENS = 4;
  static final int DIM = 8;
  static final int LAST_TOKEN = 23;

  /** Prompts that have arrived; other threads may add to it. */
  private final Queue<SequenceRequest> arrived = new ConcurrentLinkedQueue<>();

  public static void main(String[] args) {
    run(Path.of(args[0]), System.out);
  }

  public static void run(Path home, PrintStream out) {
    KvLayout layout = new KvLayout(1, 1, DIM, BLOCK_TOKENS, DType.FP32);
    EbbOptions options =
        EbbOptions.of(layout, home)
            .withSettings("ebb { pool { device = host, size = 64 KiB }, eviction.policy = lru }");
    BatchingEngine engine = new BatchingEngine();
    engine.arrived.add(SequenceRequest.of(Namespace.of("tiny"), 1, 2, 3, 4, 5, 6, 7, 8, 9));
    engine.arrived.add(SequenceRequest.of(Namespace.of("tiny"), 1, 2, 3, 4, 5, 6, 7, 8, 20));
    try (Ebb ebb = Ebb.start(options)) {
      Scheduler<ScheduledSequence> scheduler =
          new Scheduler<>(
              SchedulerOptions.DEFAULTS,
              ebb.memory(),
              PreemptionRules.LOWEST_PRIORITY,
              ended -> reply(out, ended));
      new SchedulerLoop<>(scheduler, engine).run(); // calls everything on this thread
    }
  }

  static void reply(PrintStream out, ScheduledRequest<ScheduledSequence> ended) {
    ScheduledSequence payload = ended.payload();
    out.printf(
        "%s: %d tokens matched, the last token is %d%n",
        ended.endReason(), ended.matchedTokens(), payload.token(payload.length() - 1));
  }

  @Override
  public long now() {
    return System.nanoTime();
  }

  @Override
  public void receive(Scheduler<ScheduledSequence> scheduler) {
    for (SequenceRequest prompt = arrived.poll(); prompt != null; prompt = arrived.poll()) {
      ScheduledSequence payload = new ScheduledSequence(prompt);
      // 5 output tokens at most, priority 1. Keep the result for scheduler.cancel(request).
      scheduler.submit(new Submission<>(payload, prompt.length(), 5, 1, "docs"), now());
    }
  }

  @Override
  public void compute(Batch<ScheduledSequence> batch) {
    for (int i = 0; i < batch.size(); i++) {
      ScheduledSequence payload = batch.request(i).payload();
      int token;
      try (KvAccess kv = payload.sequence().access()) {
        // K and V before batch.request(i).matchedTokens() are cached: write only those behind.
        int first = batch.firstToken(i);
        token = forward(kv, payload, first, batch.tokens(i), batch.request(i).matchedTokens());
      }
      if (batch.samples(i)) { // the last position of what is known: its output is a new token
        payload.generated(token);
        if (token == LAST_TOKEN) {
          batch.finish(i);
        }
      }
    }
  }

  /** Computes some tokens, and returns the next one. */
  static int forward(KvAccess kv, ScheduledSequence payload, int first, int count, int cached) {
    int token = 0;
    for (int position = first; position < first + count; position++) {
      token = payload.token(position);
      if (position >= cached) {
        long index = (long) position % BLOCK_TOKENS * DIM;
        kv.keys(0, position / BLOCK_TOKENS).setAtIndex(ValueLayout.JAVA_FLOAT, index, token);
        kv.values(0, position / BLOCK_TOKENS).setAtIndex(ValueLayout.JAVA_FLOAT, index, token);
      }
    }
    return token + 1;
  }

  @Override
  public boolean await(long nanos) { // nothing can be computed; false ends the loop
    return false;
  }
}
