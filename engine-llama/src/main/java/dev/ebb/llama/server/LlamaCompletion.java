package dev.ebb.llama.server;

import dev.ebb.host.engine.request.SequenceRequest;
import dev.ebb.llama.binding.LlamaModel;
import dev.ebb.llama.binding.Sampler;
import dev.ebb.server.completion.Completion;
import dev.ebb.server.completion.CompletionOptions;
import dev.ebb.server.model.SamplerOptions;
import java.util.concurrent.BlockingQueue;
import org.jspecify.annotations.Nullable;

/** A completion with a sampler of llama.cpp, and while it runs, with a branch of its cells. */
final class LlamaCompletion extends Completion {

  private final LlamaEngine engine;
  private final LlamaModel model;
  private final Sampler sampler;

  /** The leading pages whose blocks are cached: matched or published ones. */
  int matchedPages;

  private BlockCells.@Nullable Branch branch;

  /** Creates a completion; refuses a grammar that llama.cpp does not take. */
  LlamaCompletion(
      LlamaEngine engine,
      LlamaModel model,
      SequenceRequest prompt,
      CompletionOptions options,
      int index,
      BlockingQueue<Event> events) {
    super(prompt, options, index, events);
    this.engine = engine;
    this.model = model;
    sampler = Sampler.open(model, options.sampling(), prompt(), options.maxTokens());
    String calls = callGrammar();
    if (calls != null) {
      checkGrammar(calls);
    }
  }

  /** Refuses a grammar of calls now, and not when the model begins a call. */
  private void checkGrammar(String grammar) {
    try (Sampler trial = Sampler.greedy()) {
      trial.constrain(model, grammar);
    } catch (IllegalArgumentException refused) {
      sampler.close();
      throw refused;
    }
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
  protected void constrain(String grammar) {
    sampler.constrain(model, grammar);
  }

  @Override
  protected void chosen(int token) {
    sampler.accept(token);
  }

  @Override
  protected boolean repeatsDraws() {
    SamplerOptions sampling = options().sampling();
    // Of a single candidate, llama.cpp draws none; for a grammar, it may draw twice.
    return sampling.isGreedy()
        || (sampling.topP() == 1
            && sampling.topK() != 1
            && sampling.grammar() == null
            && callGrammar() == null);
  }

  Sampler sampler() {
    return sampler;
  }

  BlockCells.Branch branch() {
    BlockCells.Branch current = branch;
    if (current == null) {
      throw new IllegalStateException("the completion does not run");
    }
    return current;
  }

  void admitted(BlockCells.Branch current, int matched) {
    branch = current;
    matchedPages = matched;
  }

  void released() {
    branch = null;
  }

  @Override
  public void close() {
    sampler.close();
  }
}
