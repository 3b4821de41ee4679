package dev.ebb.llama.server;

import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import dev.ebb.host.engine.tier.PageBytes;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.files.Sha256;
import dev.ebb.llama.binding.LlamaContext;
import dev.ebb.llama.binding.ModelShape;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.stream.IntStream;

/**
 * Pages of llama.cpp's cells for tiers: the keys of all layers, then the values, of each layer the
 * rows of all tokens in the order of their positions, in 16 bits.
 *
 * <p>llama.cpp copies cells out and in as the state of a sequence. It has the number of cells, for
 * each its position and 0; whether values are transposed, and the number of layers. Then come for
 * each layer the type of the keys, the bytes of a row, and the rows; then in the same way the
 * values. Transposed ones have the bytes of an element and the elements of a row instead, and come
 * element by element.
 */
final class CellPages implements PageBytes {

  private static final int TYPE_F16 = 1;
  private static final int MOST_COMPACTIONS = 8;
  private static final int SAMPLES = 256;
  private static final int SAMPLE_BYTES = 64 << 10;
  private static final int LAYER_HEADER = Integer.BYTES + Long.BYTES;

  private final LlamaContext context;
  private final BlockCells cells;
  private final ModelShape shape;
  private final int blockTokens;
  private final boolean transposed;
  private final String model;

  /** The sequence through which cells are copied out. */
  private final int transfer;

  private final int elements;
  private final MemorySegment out;
  private final MemorySegment in;

  /**
   * Copies cells of a context without tokens.
   *
   * @param transfer a sequence that no request uses
   * @param transposed whether llama.cpp keeps values transposed, as it does without flash attention
   * @param model identifies the weights
   * @throws UserError if the cells of the model have another form
   */
  CellPages(
      LlamaContext context,
      BlockCells cells,
      ModelShape shape,
      int blockTokens,
      int transfer,
      boolean transposed,
      String model) {
    this.context = context;
    this.cells = cells;
    this.shape = shape;
    this.blockTokens = blockTokens;
    this.transfer = transfer;
    this.transposed = transposed;
    this.model = model;
    elements = shape.kvHeads() * shape.headDimension();
    out = Arena.ofAuto().allocate(stateBytes(blockTokens), Long.BYTES);
    in = Arena.ofAuto().allocate(stateBytes(blockTokens), Long.BYTES);
    checkForm();
  }

  /**
   * Returns a text that identifies the weights in a file: a digest of its size and of samples of
   * it, because a digest of all would take as long as loading.
   */
  static String digest(Path file) {
    try (FileChannel channel = FileChannel.open(file)) {
      MessageDigest sha = Sha256.digest();
      long size = channel.size();
      sha.update(String.valueOf(size).getBytes(StandardCharsets.US_ASCII));
      for (int i = 0; i < SAMPLES; i++) {
        ByteBuffer sample = ByteBuffer.allocate(SAMPLE_BYTES);
        channel.read(sample, Math.max(0, size - SAMPLE_BYTES) * i / (SAMPLES - 1));
        sha.update(sample.flip());
      }
      return HexFormat.of().formatHex(sha.digest());
    } catch (IOException failed) {
      throw new UserError("the model '%s' cannot be read: %s".formatted(file, failed));
    }
  }

  private void checkForm() {
    context.decode(transfer, new int[] {0}, 0);
    boolean known = context.stateBytes(transfer) == stateBytes(1);
    if (known) {
      context.saveState(transfer, out);
      writeHeaders(in, 1, 0);
      known = sameHeaders();
    }
    context.remove(transfer, 0, Integer.MAX_VALUE);
    if (!known) {
      throw new UserError(
          "ebb.tiers: the cells of the architecture '%s' cannot be copied to a disk or a server; leave ebb.tiers out"
              .formatted(shape.architecture()));
    }
  }

  private boolean sameHeaders() {
    return headers(1)
        .allMatch(at -> out.get(JAVA_INT_UNALIGNED, at) == in.get(JAVA_INT_UNALIGNED, at));
  }

  @Override
  public String format() {
    return "llama.cpp %s cells=%d elements=%d layers=%d"
        .formatted(model, blockTokens, elements, shape.layers());
  }

  @Override
  public int size() {
    return Math.toIntExact(2L * shape.layers() * rowsBytes(blockTokens));
  }

  private long rowsBytes(int tokens) {
    return (long) tokens * elements * Short.BYTES;
  }

  private long stateBytes(int tokens) {
    return rows(2 * shape.layers(), tokens) - LAYER_HEADER;
  }

  /** Returns where the rows of a layer begin in a state; values come after the keys. */
  private long rows(int layer, int tokens) {
    long before = 3L * Integer.BYTES + 2L * Integer.BYTES * tokens;
    return before + layer * rowsBytes(tokens) + (layer + 1L) * LAYER_HEADER;
  }

  /** Returns where the numbers of a state are that do not depend on its tokens. */
  private IntStream headers(int tokens) {
    int last = (2 + 2 * tokens) * Integer.BYTES;
    return IntStream.concat(
        IntStream.of(0, last - Integer.BYTES, last),
        IntStream.range(0, 2 * shape.layers())
            .flatMap(layer -> {
              int at = (int) rows(layer, tokens) - LAYER_HEADER;
              return IntStream.of(at, at + Integer.BYTES, at + 2 * Integer.BYTES);
            }));
  }

  private void writeHeaders(MemorySegment state, int tokens, int position) {
    state.set(JAVA_INT_UNALIGNED, 0, tokens);
    long at = Integer.BYTES;
    for (int i = 0; i < tokens; i++) {
      state.set(JAVA_INT_UNALIGNED, at, position + i);
      state.set(JAVA_INT_UNALIGNED, at + Integer.BYTES, 0);
      at += 2L * Integer.BYTES;
    }
    state.set(JAVA_INT_UNALIGNED, at, transposed ? 1 : 0);
    state.set(JAVA_INT_UNALIGNED, at + Integer.BYTES, shape.layers());
    for (int layer = 0; layer < 2 * shape.layers(); layer++) {
      long header = rows(layer, tokens) - LAYER_HEADER;
      state.set(JAVA_INT_UNALIGNED, header, TYPE_F16);
      if (isTransposed(layer)) {
        state.set(JAVA_INT_UNALIGNED, header + Integer.BYTES, Short.BYTES);
        state.set(JAVA_INT_UNALIGNED, header + 2L * Integer.BYTES, elements);
      } else {
        state.set(JAVA_LONG_UNALIGNED, header + Integer.BYTES, (long) elements * Short.BYTES);
      }
    }
  }

  private boolean isTransposed(int layer) {
    return transposed && layer >= shape.layers();
  }

  @Override
  public synchronized boolean read(int page, int[] blocks, MemorySegment target) {
    int first = page * blockTokens;
    int owner = cells.owner(blocks[0], page);
    if (owner < 0) {
      return false;
    }
    context.share(owner, transfer, first, first + blockTokens);
    try {
      if (context.stateBytes(transfer) != stateBytes(blockTokens)) {
        throw new IllegalStateException("a page does not have '%d' cells".formatted(blockTokens));
      }
      context.saveState(transfer, out);
    } finally {
      context.remove(transfer, 0, Integer.MAX_VALUE);
    }
    for (int cell = 0; cell < blockTokens; cell++) {
      // Cells have no order.
      int token = out.get(JAVA_INT_UNALIGNED, Integer.BYTES + 2L * Integer.BYTES * cell) - first;
      for (int layer = 0; layer < 2 * shape.layers(); layer++) {
        copyRow(out, layer, cell, target, token, true);
      }
    }
    return true;
  }

  /** Copies the row of a token between a state and a page. */
  private void copyRow(
      MemorySegment state, int layer, int cell, MemorySegment page, int token, boolean reading) {
    long rows = rows(layer, blockTokens);
    long row = layer * rowsBytes(blockTokens) + (long) token * elements * Short.BYTES;
    if (isTransposed(layer)) {
      for (int i = 0; i < elements; i++) {
        long at = rows + ((long) i * blockTokens + cell) * Short.BYTES;
        if (reading) {
          page.set(JAVA_SHORT_UNALIGNED, row + 2L * i, state.get(JAVA_SHORT_UNALIGNED, at));
        } else {
          state.set(JAVA_SHORT_UNALIGNED, at, page.get(JAVA_SHORT_UNALIGNED, row + 2L * i));
        }
      }
      return;
    }
    long bytes = (long) elements * Short.BYTES;
    long at = rows + cell * bytes;
    if (reading) {
      MemorySegment.copy(state, at, page, row, bytes);
    } else {
      MemorySegment.copy(page, row, state, at, bytes);
    }
  }

  @Override
  public boolean write(int page, int[] blocks, MemorySegment source) {
    writeHeaders(in, blockTokens, page * blockTokens);
    for (int token = 0; token < blockTokens; token++) {
      for (int layer = 0; layer < 2 * shape.layers(); layer++) {
        copyRow(in, layer, token, source, token, false);
      }
    }
    return cells.load(blocks[0], page, branch -> makeRoom() && restore(branch));
  }

  private boolean makeRoom() {
    int free = context.longestFree();
    for (int i = 0; free < blockTokens && i < MOST_COMPACTIONS && context.compact(); i++) {
      free = context.longestFree();
    }
    return free >= blockTokens;
  }

  private boolean restore(int branch) {
    try {
      context.restoreState(branch, in);
      return true;
    } catch (IllegalStateException refused) {
      return false;
    }
  }
}
