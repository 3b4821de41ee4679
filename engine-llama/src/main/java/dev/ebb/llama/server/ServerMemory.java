package dev.ebb.llama.server;

import dev.ebb.host.config.EbbConfig;
import dev.ebb.host.device.Device;
import dev.ebb.host.device.HostDevice;
import dev.ebb.host.engine.Ebb;
import dev.ebb.host.engine.EbbOptions;
import dev.ebb.host.engine.tier.PageBytes;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.lifecycle.Closer;
import dev.ebb.host.pool.DType;
import dev.ebb.host.pool.KvLayout;
import dev.ebb.host.scheduler.SchedulerOptions;
import dev.ebb.host.units.ByteSize;
import dev.ebb.llama.binding.ContextOptions;
import dev.ebb.llama.binding.LlamaContext;
import dev.ebb.llama.binding.LlamaModel;
import dev.ebb.llama.binding.ModelShape;
import dev.ebb.server.completion.CompletionMetrics;
import dev.ebb.server.completion.OpenedModel;
import dev.ebb.server.completion.ServerOptions;
import java.lang.foreign.Arena;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The memory of a server: llama.cpp's, and the pool that accounts for it.
 *
 * @param device of the pool: that of the cells, or memory for saved states
 * @param bytes the size of the pool
 * @param stateBytes the size of the state of a recurrent model; 0 for other models
 * @param contextTokens the most tokens of prompt and answer
 * @param pages copies pages for a disk tier; null if that is not possible
 */
record ServerMemory(
    LlamaModel model,
    LlamaContext context,
    SequenceCells cells,
    Device device,
    KvLayout layout,
    long bytes,
    long stateBytes,
    int contextTokens,
    @Nullable Supplier<PageBytes> pages)
    implements OpenedModel {

  /** Saved states for each request that runs at a time, unless the size of the pool is given. */
  private static final int STATES_EACH = 8;

  /** Fewer states are useless: a request that runs needs two. */
  private static final int FEWEST_STATES = 2;

  /** The operations of a context on its sequences. */
  private record ContextCells(LlamaContext context) implements BlockCells.Cells {

    @Override
    public void share(int owner, int other, int from, int to) {
      context.share(owner, other, from, to);
    }

    @Override
    public void remove(int owner, int from, int to) {
      context.remove(owner, from, to);
    }
  }

  /**
   * Allocates the memory.
   *
   * @param opened closes it
   * @throws UserError if there is too little
   */
  static ServerMemory open(LlamaModel model, ServerOptions options, Closer opened) {
    return model.recurrent() ? ofStates(model, options, opened) : ofCells(model, options, opened);
  }

  private static ServerMemory ofCells(LlamaModel model, ServerOptions options, Closer opened) {
    ModelShape shape = model.shape();
    int parallel = options.scheduler().maxRunning();
    int batch = options.scheduler().maxBatchedTokens();
    int blocks = Math.ceilDiv(cells(options, shape), options.blockTokens());
    // Further cells for tokens that are computed again, and so that a batch always has room.
    int wanted = Math.addExact(blocks * options.blockTokens(), parallel + batch);
    requireMemory(
        wanted + " KV cells", shape.cellBytes() * wanted + shape.attentionBytes(batch, wanted));
    // One sequence for each running request, at most one for each cached block, and one to copy.
    int sequences = blocks + parallel + 2;
    LlamaContext context =
        opened.add(
            new LlamaContext(
                model,
                new ContextOptions(
                    wanted, batch, sequences, threads(options), null, options.flashAttention())));
    BlockCells cells = new BlockCells(new ContextCells(context), blocks, options.blockTokens());
    KvLayout layout =
        new KvLayout(
            shape.layers(),
            shape.kvHeads(),
            shape.headDimension(),
            options.blockTokens(),
            DType.FP16);
    long bytes = (long) blocks * layout.blockBytes();
    return new ServerMemory(
        model,
        context,
        cells,
        new CellDevice(bytes, cells),
        layout,
        bytes,
        0,
        Math.min(trained(shape), blocks * options.blockTokens()),
        () ->
            new CellPages(
                context,
                cells,
                shape,
                options.blockTokens(),
                sequences - 1,
                !options.flashAttention(),
                CellPages.digest(options.model())));
  }

  /** A page of a recurrent model has a small block without content; its states take many. */
  private static ServerMemory ofStates(LlamaModel model, ServerOptions options, Closer opened) {
    int parallel = options.scheduler().maxRunning();
    int batch = options.scheduler().maxBatchedTokens();
    LlamaContext context =
        opened.add(
            new LlamaContext(
                model, new ContextOptions(batch, batch, 1, threads(options), null, false)));
    Arena arena = Arena.ofShared();
    opened.add(arena);
    RecurrentStates states =
        new RecurrentStates(model, context, parallel, options.blockTokens(), arena);
    int dimension = RecurrentStates.headDimension(states.bytes(), options.blockTokens());
    KvLayout layout = new KvLayout(1, 1, dimension, options.blockTokens(), DType.FP32);
    long all = Math.ceilDiv(states.bytes(), layout.blockBytes()) * layout.blockBytes();
    int tokens = options.cells() == null ? model.shape().usualContext() : options.cells();
    long pages = (long) Math.ceilDiv(tokens, options.blockTokens()) * layout.blockBytes();
    Long given = options.cellBytes();
    long bytes = given == null ? STATES_EACH * all * parallel + pages : given;
    if (bytes < FEWEST_STATES * all + layout.blockBytes()) {
      throw new UserError(
          "--kv-pool-size: '%s' has no room for %d states of %s each; use a larger one"
              .formatted(ByteSize.format(bytes), FEWEST_STATES, ByteSize.format(all)));
    }
    requireMemory("saved states", bytes);
    long most = (bytes - FEWEST_STATES * all) / layout.blockBytes() * options.blockTokens();
    int limit = given == null ? tokens : trained(model.shape());
    return new ServerMemory(
        model,
        context,
        states,
        opened.add(new HostDevice()),
        layout,
        bytes,
        states.bytes(),
        (int) Math.min(Math.min(limit, trained(model.shape())), most),
        null);
  }

  private static int threads(ServerOptions options) {
    return ContextOptions.threads(options.threads());
  }

  @Override
  public EbbOptions with(EbbOptions options, EbbConfig config) {
    EbbOptions ebb = options.withState(stateBytes);
    boolean tiers = config.diskTier().isOn() || config.remoteTier().server() != null;
    return tiers && pages != null ? ebb.withPages(pages.get()) : ebb;
  }

  @Override
  public LlamaEngine start(
      Ebb ebb, SchedulerOptions options, CompletionMetrics counters, Runnable onFailure) {
    return new LlamaEngine(model, context, ebb, cells, options, counters, onFailure);
  }

  private static int trained(ModelShape shape) {
    return shape.trainedContext() < 1 ? Integer.MAX_VALUE : shape.trainedContext();
  }

  private static int cells(ServerOptions options, ModelShape shape) {
    Long bytes = options.cellBytes();
    Integer cells = options.cells();
    if (bytes != null) {
      return (int) Math.min(Integer.MAX_VALUE / 2, bytes / shape.cellBytes());
    }
    return cells == null ? shape.usualContext() : cells;
  }

  /** Refuses too large a context: llama.cpp would take memory until the system ends the process. */
  private static void requireMemory(String what, long needed) {
    try (HostDevice machine = new HostDevice()) {
      if (needed > machine.memory().availableBytes()) {
        throw new UserError(
            "'%s' take %s, but only %s are available; use a smaller --context or --kv-pool-size"
                .formatted(what, ByteSize.format(needed), machine.memory().describe()));
      }
    }
  }
}
