package dev.ebb.llama.server;

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
import org.jspecify.annotations.Nullable;

/**
 * The memory of a server: llama.cpp's, and the pool.
 *
 * @param device of the pool, which has K and V or saved states
 * @param stateBytes the size of the state of a recurrent model; 0 for other models
 * @param cellPages copies K and V; null for a recurrent model
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
    @Nullable CellPages cellPages)
    implements OpenedModel {

  /** Saved states for each request that runs at a time, unless the size of the pool is given. */
  private static final int STATES_EACH = 8;

  /** Fewer states are useless: a request that runs needs two. */
  private static final int FEWEST_STATES = 2;

  /** Allocates the memory; refuses if there is too little. */
  static ServerMemory open(LlamaModel model, ServerOptions options, Closer opened) {
    return model.recurrent() ? ofStates(model, options, opened) : ofCells(model, options, opened);
  }

  private static ServerMemory ofCells(LlamaModel model, ServerOptions options, Closer opened) {
    ModelShape shape = model.shape();
    int parallel = options.scheduler().maxRunning();
    int batch = options.scheduler().maxBatchedTokens();
    int blocks = Math.ceilDiv(cells(options, shape), options.blockTokens());
    // Further cells for blocks that are computed again, and so that a batch always has room.
    int wanted =
        Math.addExact(blocks * options.blockTokens(), parallel * options.blockTokens() + batch);
    requireMemory(
        wanted + " KV cells, with the pool",
        shape.cellBytes() * (wanted + (long) blocks * options.blockTokens())
            + shape.attentionBytes(batch, wanted));
    // One sequence for each running request, and one to copy.
    LlamaContext context =
        opened.add(
            new LlamaContext(
                model,
                new ContextOptions(
                    wanted,
                    batch,
                    parallel + 1,
                    threads(options),
                    null,
                    options.flashAttention())));
    CellPages pages =
        new CellPages(context, shape, options.blockTokens(), parallel, options.model());
    KvLayout layout = layout(shape, pages.tokenBytes(), options.blockTokens());
    return new ServerMemory(
        model,
        context,
        new BlockCells(pages, blocks, options.blockTokens()),
        opened.add(new HostDevice()),
        layout,
        (long) blocks * layout.blockBytes(),
        0,
        Math.min(trained(shape), blocks * options.blockTokens()),
        pages);
  }

  /** Returns the layout of the model, or one of the same size if its layers differ. */
  private static KvLayout layout(ModelShape shape, int tokenBytes, int blockTokens) {
    return tokenBytes == shape.cellBytes()
        ? new KvLayout(
            shape.layers(), shape.kvHeads(), shape.headDimension(), blockTokens, DType.FP16)
        : new KvLayout(1, 1, Math.ceilDiv(tokenBytes, 2 * Short.BYTES), blockTokens, DType.FP16);
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
  public EbbOptions with(EbbOptions options) {
    return options.withState(stateBytes);
  }

  @Override
  public @Nullable PageBytes pages() {
    return cellPages;
  }

  @Override
  public LlamaEngine start(
      Ebb ebb, SchedulerOptions options, CompletionMetrics counters, Runnable onFailure) {
    if (cellPages != null) {
      cellPages.use(ebb.pool().memory());
    }
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
