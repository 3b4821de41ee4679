package dev.ebb.llama.server;

import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;
import static java.util.Objects.requireNonNull;

import dev.ebb.host.engine.tier.PageBytes;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.pool.BlockMemory;
import dev.ebb.llama.binding.LlamaContext;
import dev.ebb.llama.binding.ModelShape;
import dev.ebb.server.model.ModelDigest;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Copies K and V between llama.cpp's cells and the blocks of the pool. A block has the keys of all
 * layers, then the values, of each layer the rows of all tokens in the order of their positions.
 *
 * <p>llama.cpp copies cells out and in as the state of a sequence. It has the number of cells, for
 * each its position and 0; whether values are transposed, and the number of layers. Then come for
 * each layer the type of the keys, the bytes of a row, and the rows; then in the same way the
 * values. Transposed ones have the bytes of an element and the elements of a row instead, and come
 * element by element.
 */
final class CellPages implements BlockCells.Cells, PageBytes {

  private static final int LAYER_HEADER = Integer.BYTES + Long.BYTES;

  /** The most tokens that are copied together. */
  private static final int TOGETHER = 128;

  private final LlamaContext context;
  private final int blockTokens;
  private final Path model;

  /** The sequence through which cells are copied. */
  private final int transfer;

  private final int layers;
  private final boolean transposed;

  /** Of the keys of each layer, then of the values: the type and the bytes of a token. */
  private final int[] types;

  private final int[] rowBytes;

  private final int tokenBytes;
  private final MemorySegment state;
  private volatile @Nullable BlockMemory memory;

  /**
   * Copies cells of a context without tokens.
   *
   * @param transfer a sequence that no request uses
   * @throws UserError if the cells of the model have another form
   */
  CellPages(LlamaContext context, ModelShape shape, int blockTokens, int transfer, Path model) {
    this.context = context;
    this.blockTokens = blockTokens;
    this.transfer = transfer;
    this.model = model;
    layers = shape.layers();
    types = new int[2 * layers];
    rowBytes = new int[2 * layers];
    context.decode(transfer, new int[] {0}, 0);
    MemorySegment sample = Arena.ofAuto().allocate(context.stateBytes(transfer), Long.BYTES);
    context.saveState(transfer, sample);
    context.remove(transfer, 0, Integer.MAX_VALUE);
    transposed = sample.get(JAVA_INT_UNALIGNED, 3L * Integer.BYTES) == 1;
    boolean known = sample.get(JAVA_INT_UNALIGNED, 4L * Integer.BYTES) == layers;
    long at = 5L * Integer.BYTES;
    for (int i = 0; known && i < rowBytes.length; i++) {
      known = at + LAYER_HEADER <= sample.byteSize();
      if (known) {
        types[i] = sample.get(JAVA_INT_UNALIGNED, at);
        rowBytes[i] =
            isTransposed(i)
                ? Short.BYTES * sample.get(JAVA_INT_UNALIGNED, at + 2L * Integer.BYTES)
                : (int) sample.get(JAVA_LONG_UNALIGNED, at + Integer.BYTES);
        at += LAYER_HEADER + rowBytes[i];
      }
    }
    tokenBytes = Arrays.stream(rowBytes).sum();
    state = Arena.ofAuto().allocate(stateBytes(TOGETHER), Long.BYTES);
    if (known && at == sample.byteSize()) {
      writeHeaders(1, 0);
      known = sameHeaders(sample);
    }
    if (!known || at != sample.byteSize()) {
      throw new UserError(
          "llama.cpp's cells of the architecture '%s' cannot be copied; use another model"
              .formatted(shape.architecture()));
    }
  }

  private boolean sameHeaders(MemorySegment sample) {
    for (int i = 0; i < rowBytes.length; i++) {
      long at = rows(i, 1) - LAYER_HEADER;
      if (sample.asSlice(at, LAYER_HEADER).mismatch(state.asSlice(at, LAYER_HEADER)) >= 0) {
        return false;
      }
    }
    return sample.asSlice(0, 5L * Integer.BYTES).mismatch(state.asSlice(0, 5L * Integer.BYTES)) < 0;
  }

  /** Copies into and out of the blocks of a pool from now on. */
  void use(BlockMemory blocks) {
    memory = blocks;
  }

  /** Returns the bytes of K and V of a token. */
  int tokenBytes() {
    return tokenBytes;
  }

  @Override
  public String format() {
    return "llama.cpp %s cells=%d rows=%s"
        .formatted(ModelDigest.of(model), blockTokens, Arrays.toString(rowBytes));
  }

  @Override
  public int size() {
    return tokenBytes * blockTokens;
  }

  @Override
  public boolean read(int page, int[] blocks, MemorySegment target) {
    target.copyFrom(block(blocks[0]));
    return true;
  }

  @Override
  public boolean write(int page, int[] blocks, MemorySegment source) {
    block(blocks[0]).copyFrom(source.asSlice(0, size()));
    return true;
  }

  private MemorySegment block(int number) {
    BlockMemory blocks = requireNonNull(memory, "there is no pool yet");
    return blocks.segment(number).orElseThrow().asSlice(0, size());
  }

  @Override
  public void share(int owner, int other, int from, int to) {
    context.share(owner, other, from, to);
  }

  @Override
  public void remove(int owner, int from, int to) {
    context.remove(owner, from, to);
  }

  @Override
  public void save(int owner, int[] blocks, int from, int to) {
    for (int first = from; first < to; first += TOGETHER) {
      int count = Math.min(TOGETHER, to - first);
      context.share(owner, transfer, first, first + count);
      try {
        if (context.stateBytes(transfer) != stateBytes(count)) {
          throw new IllegalStateException("a branch does not have '%d' cells".formatted(count));
        }
        context.saveState(transfer, state);
      } finally {
        context.remove(transfer, 0, Integer.MAX_VALUE);
      }
      for (int cell = 0; cell < count; ) {
        int position = position(cell);
        int adjacent = 1;
        // Cells have no order.
        while (cell + adjacent < count
            && (position + adjacent) % blockTokens != 0
            && position(cell + adjacent) == position + adjacent) {
          adjacent++;
        }
        copy(blocks, position, cell, adjacent, count, true);
        cell += adjacent;
      }
    }
  }

  private int position(int cell) {
    return state.get(JAVA_INT_UNALIGNED, Integer.BYTES + 2L * Integer.BYTES * cell);
  }

  @Override
  public void restore(int owner, int[] blocks, int from, int to) {
    for (int first = from; first < to; ) {
      int count = room(Math.min(TOGETHER, to - first));
      writeHeaders(count, first);
      for (int cell = 0; cell < count; ) {
        int position = first + cell;
        int adjacent = Math.min(blockTokens - position % blockTokens, count - cell);
        copy(blocks, position, cell, adjacent, count, false);
        cell += adjacent;
      }
      context.restoreState(transfer, state.asSlice(0, stateBytes(count)));
      context.share(transfer, owner, first, first + count);
      context.remove(transfer, 0, Integer.MAX_VALUE);
      first += count;
    }
  }

  /** Returns how many of the wanted tokens can be copied together. They need adjacent cells. */
  private int room(int wanted) {
    return Math.min(wanted, context.makeRoom(Math.min(wanted, blockTokens), () -> {}));
  }

  /**
   * Copies rows of a block between a state and the pool.
   *
   * @param position of the first token
   * @param cell its place in the state
   * @param adjacent how many tokens
   * @param tokens those of the state
   * @param saving whether the pool is the target
   */
  private void copy(
      int[] blocks, int position, int cell, int adjacent, int tokens, boolean saving) {
    MemorySegment block = block(blocks[position / blockTokens]);
    long plane = 0;
    for (int layer = 0; layer < rowBytes.length; layer++) {
      long bytes = rowBytes[layer];
      long rows = rows(layer, tokens);
      long row = plane + position % blockTokens * bytes;
      plane += bytes * blockTokens;
      if (isTransposed(layer)) {
        transpose(block, row, (int) bytes / Short.BYTES, rows, cell, adjacent, tokens, saving);
      } else if (saving) {
        MemorySegment.copy(state, rows + cell * bytes, block, row, adjacent * bytes);
      } else {
        MemorySegment.copy(block, row, state, rows + cell * bytes, adjacent * bytes);
      }
    }
  }

  private void transpose(
      MemorySegment block,
      long row,
      int elements,
      long rows,
      int cell,
      int adjacent,
      int tokens,
      boolean saving) {
    for (int i = 0; i < elements; i++) {
      long at = rows + ((long) i * tokens + cell) * Short.BYTES;
      long to = row + (long) i * Short.BYTES;
      for (int k = 0; k < adjacent; k++) {
        if (saving) {
          block.set(JAVA_SHORT_UNALIGNED, to, state.get(JAVA_SHORT_UNALIGNED, at));
        } else {
          state.set(JAVA_SHORT_UNALIGNED, at, block.get(JAVA_SHORT_UNALIGNED, to));
        }
        at += Short.BYTES;
        to += (long) elements * Short.BYTES;
      }
    }
  }

  private long stateBytes(int tokens) {
    return (3L + 2L * tokens) * Integer.BYTES
        + (long) rowBytes.length * LAYER_HEADER
        + (long) tokens * tokenBytes;
  }

  /** Returns where the rows of a layer begin in a state; values come after the keys. */
  private long rows(int layer, int tokens) {
    long at = (3L + 2L * tokens) * Integer.BYTES + (layer + 1L) * LAYER_HEADER;
    for (int i = 0; i < layer; i++) {
      at += (long) tokens * rowBytes[i];
    }
    return at;
  }

  private void writeHeaders(int tokens, int position) {
    state.set(JAVA_INT_UNALIGNED, 0, tokens);
    long at = Integer.BYTES;
    for (int i = 0; i < tokens; i++) {
      state.set(JAVA_INT_UNALIGNED, at, position + i);
      state.set(JAVA_INT_UNALIGNED, at + Integer.BYTES, 0);
      at += 2L * Integer.BYTES;
    }
    state.set(JAVA_INT_UNALIGNED, at, transposed ? 1 : 0);
    state.set(JAVA_INT_UNALIGNED, at + Integer.BYTES, layers);
    at += 2L * Integer.BYTES;
    for (int layer = 0; layer < rowBytes.length; layer++) {
      state.set(JAVA_INT_UNALIGNED, at, types[layer]);
      if (isTransposed(layer)) {
        state.set(JAVA_INT_UNALIGNED, at + Integer.BYTES, Short.BYTES);
        state.set(JAVA_INT_UNALIGNED, at + 2L * Integer.BYTES, rowBytes[layer] / Short.BYTES);
      } else {
        state.set(JAVA_LONG_UNALIGNED, at + Integer.BYTES, rowBytes[layer]);
      }
      at += LAYER_HEADER + (long) tokens * rowBytes[layer];
    }
  }

  private boolean isTransposed(int layer) {
    return transposed && layer >= layers;
  }
}
