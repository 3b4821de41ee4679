package dev.ebb.jlama;

import dev.ebb.host.engine.request.SequenceRequest;
import dev.ebb.host.engine.sequence.Sequence;
import dev.ebb.server.completion.Completion;
import dev.ebb.server.completion.CompletionOptions;
import java.util.concurrent.BlockingQueue;
import org.jspecify.annotations.Nullable;

/** A completion whose K and V Jlama computes. */
final class JlamaCompletion extends Completion {

  private final JlamaEngine engine;
  private final TokenChooser chooser;
  private @Nullable Sequence computedOn;
  private @Nullable JlamaSequence computed;

  JlamaCompletion(
      JlamaEngine engine,
      SequenceRequest prompt,
      CompletionOptions options,
      int index,
      BlockingQueue<Event> events) {
    super(prompt, options, index, events);
    if (options.sampling().grammar() != null) {
      throw new IllegalArgumentException(
          "response_format and tool_choice are not supported by Jlama, which has no grammars; leave"
              + " them out, or serve a GGUF file with llama.cpp");
    }
    this.engine = engine;
    chooser = new TokenChooser(options.sampling(), prompt());
  }

  TokenChooser chooser() {
    return chooser;
  }

  /** Returns its sequence, which is another one after each preemption. */
  JlamaSequence computed(JlamaModel model, int blockTokens) {
    Sequence current = sequence();
    JlamaSequence known = computed;
    if (known == null || computedOn != current) {
      known = model.sequence(current, blockTokens);
      computed = known;
      computedOn = current;
    }
    return known;
  }

  @Override
  protected void submit() {
    engine.submit(this);
  }

  @Override
  protected void cancel() {
    engine.cancel(this);
  }

  @Override
  protected void chosen(int token) {
    chooser.accept(token);
  }

  @Override
  protected boolean repeatsDraws() {
    return true;
  }

  /** Calls are read, but not limited. */
  @Override
  protected void constrain(String grammar) {
    // Jlama has no grammars.
  }

  @Override
  public void close() {
    computed = null;
    computedOn = null;
  }
}
