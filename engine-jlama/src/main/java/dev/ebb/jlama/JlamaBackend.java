package dev.ebb.jlama;

import com.github.tjake.jlama.util.PhysicalCoreExecutor;
import dev.ebb.host.device.Device;
import dev.ebb.host.device.HostDevice;
import dev.ebb.host.engine.Ebb;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.lifecycle.Closer;
import dev.ebb.host.pool.KvLayout;
import dev.ebb.host.scheduler.SchedulerOptions;
import dev.ebb.server.completion.CompletionMetrics;
import dev.ebb.server.completion.EngineBackend;
import dev.ebb.server.completion.OpenedModel;
import dev.ebb.server.completion.ServerOptions;
import java.nio.file.Path;

/** Jlama, for folders with safetensors. */
public final class JlamaBackend implements EngineBackend {

  /** The context if the user names none, as far as the model has one. */
  private static final int USUAL_CONTEXT = 4_096;

  /** A model, and the memory of the blocks that it computes in. */
  private record JlamaMemory(
      JlamaModel model, KvLayout layout, Device device, long bytes, int contextTokens)
      implements OpenedModel {

    @Override
    public JlamaEngine start(
        Ebb ebb, SchedulerOptions options, CompletionMetrics counters, Runnable onFailure) {
      return new JlamaEngine(model, ebb, options, counters, onFailure);
    }
  }

  @Override
  public String name() {
    return "jlama";
  }

  @Override
  public boolean opens(Path model) {
    return JlamaModel.isModel(model);
  }

  @Override
  public OpenedModel open(ServerOptions options, Closer opened) {
    if (options.flashAttention()) {
      throw new UserError("--flash-attention is an option of llama.cpp; leave it out with Jlama");
    }
    useThreads(options);
    JlamaModel model = opened.add(JlamaModel.open(options.model()));
    KvLayout layout = model.layout(options.blockTokens());
    long blocks = blocks(options, model, layout);
    if (blocks < 1) {
      throw new UserError(
          "--kv-pool-size: '%d' bytes have no room for a block of %d; use a larger one"
              .formatted(options.cellBytes(), layout.blockBytes()));
    }
    return new JlamaMemory(
        model,
        layout,
        opened.add(new HostDevice()),
        blocks * layout.blockBytes(),
        (int) Math.min(model.contextTokens(), blocks * options.blockTokens()));
  }

  private static long blocks(ServerOptions options, JlamaModel model, KvLayout layout) {
    Long bytes = options.cellBytes();
    Integer cells = options.cells();
    int tokens = cells == null ? Math.min(USUAL_CONTEXT, model.contextTokens()) : cells;
    return bytes == null ? Math.ceilDiv(tokens, layout.blockTokens()) : bytes / layout.blockBytes();
  }

  /** Jlama has one pool of threads in a process, which starts with the first model. */
  private static void useThreads(ServerOptions options) {
    Integer threads = options.threads();
    int cores = Runtime.getRuntime().availableProcessors();
    if (threads != null && threads > cores) {
      throw new UserError(
          "--threads: '%d' must be at most the %d cores with Jlama".formatted(threads, cores));
    } else if (threads != null) {
      PhysicalCoreExecutor.overrideThreadCount(threads);
    }
  }
}
