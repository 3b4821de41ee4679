package dev.ebb.llama.generate;

import dev.ebb.host.errors.UserError;
import dev.ebb.llama.binding.LlamaContext;
import dev.ebb.llama.binding.LlamaModel;
import dev.ebb.llama.binding.Sampler;
import dev.ebb.llama.generate.GenerationReport.Ending;
import java.util.Arrays;
import java.util.concurrent.CancellationException;
import java.util.function.IntPredicate;

/** Answers one prompt. Positions continue whatever is dropped; only cells become free. */
final class Generator {

  private final LlamaModel model;
  private final LlamaContext context;
  private final Sampler sampler;
  private final Pruner pruner;
  private final int batch;
  private final int cells;
  private int position;
  private int length;
  private int peak;
  private int generated;
  private long readAt;

  /** Creates a generator for a context in which nothing has been computed. */
  Generator(LlamaModel model, LlamaContext context, Sampler sampler, Pruner pruner, int batch) {
    this.model = model;
    this.context = context;
    this.sampler = sampler;
    this.pruner = pruner;
    this.batch = batch;
    this.cells = context.cells().count();
  }

  /**
   * Answers. Ends early if the context is {@linkplain LlamaContext#stop stopped}.
   *
   * @param sink receives each token; false ends the answer
   * @throws UserError if the prompt does not fit
   */
  GenerationReport run(int[] prompt, int most, IntPredicate sink) {
    long started = System.nanoTime();
    Ending ending;
    try {
      read(prompt);
      readAt = System.nanoTime();
      ending = answer(most, sink);
    } catch (CancellationException stopped) {
      ending = Ending.STOPPED;
    }
    long ended = System.nanoTime();
    long read = readAt == 0 ? ended : readAt;
    return new GenerationReport(
        Math.min(prompt.length, position),
        generated,
        ending,
        (read - started) / 1e9,
        (ended - read) / 1e9,
        new GenerationReport.Cells(
            cells, context.cells().used(), peak, pruner.evictions(), pruner.evicted()));
  }

  private Ending answer(int most, IntPredicate sink) {
    while (generated < most) {
      int token = sampler.next(context);
      if (model.endsGeneration(token)) {
        return Ending.END;
      }
      generated++;
      if (!sink.test(token)) {
        return Ending.STOPPED;
      }
      if (generated < most && !step(token)) {
        return Ending.CONTEXT;
      }
    }
    return Ending.LENGTH;
  }

  private void read(int[] prompt) {
    if (prompt.length > cells && !pruner.shortensPrompts()) {
      throw tooLong(prompt);
    }
    int done = 0;
    while (done < prompt.length) {
      int wanted = Math.min(batch, prompt.length - done);
      if (length + wanted > cells) {
        length -= pruner.makeRoom(length);
      }
      int part = Math.min(wanted, context.cells().longestFree());
      if (part == 0) {
        throw tooLong(prompt);
      }
      compute(Arrays.copyOfRange(prompt, done, done + part));
      done += part;
      if (done < prompt.length) {
        length -= pruner.afterPart(length);
      }
    }
    length -= pruner.afterStep(length);
  }

  private UserError tooLong(int[] prompt) {
    return new UserError(
        "the prompt has %,d tokens, but the context has %,d cells; use a larger --context, or a policy that shortens a prompt while it is read, such as sliding-window with --eviction-window"
            .formatted(prompt.length, cells));
  }

  private boolean step(int token) {
    if (length >= cells) {
      length -= pruner.makeRoom(length);
    }
    if (length >= cells) {
      return false;
    }
    compute(token);
    length -= pruner.afterStep(length);
    return true;
  }

  private void compute(int... tokens) {
    if (!context.decode(0, tokens, position)) {
      throw new IllegalStateException("no free cell was found although some are free");
    }
    pruner.computed(position, tokens.length);
    position += tokens.length;
    length += tokens.length;
    peak = Math.max(peak, length);
  }
}
