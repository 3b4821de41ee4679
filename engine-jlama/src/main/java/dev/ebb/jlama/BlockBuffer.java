package dev.ebb.jlama;

import com.github.tjake.jlama.tensor.AbstractTensor;
import com.github.tjake.jlama.tensor.FloatBufferTensor;
import com.github.tjake.jlama.tensor.ForeignKvBuffer;
import com.github.tjake.jlama.tensor.KvBufferCache;
import com.github.tjake.jlama.tensor.TensorShape;
import dev.ebb.host.engine.sequence.KvAccess;
import dev.ebb.host.engine.sequence.Sequence;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * The KV buffer of one sequence: each page is a tensor over a block of Ebb, without a copy. Of a
 * shared block the rows are read only. Jlama writes the row of each token that it computes, so such
 * a row goes to a scratch tensor; its block has the same values.
 *
 * <p>Layer {@code l} is lane {@code l} of the layout, with the KV heads of a token side by side.
 */
final class BlockBuffer extends ForeignKvBuffer {

  private final int blockTokens;
  private final int width;
  private final TensorShape pageShape;
  private final Lanes keys;
  private final Lanes values;
  private int[] blocks = {};
  private boolean[] writable = {};

  /** The tensors of K, or of V, by layer and page. */
  private final class Lanes {

    private final FloatBufferTensor scratch = new FloatBufferTensor(1, width);

    /** The pages in one more dimension: a slice of it is a page that keeps its rows, or not. */
    private final AbstractTensor<?, ?>[][] tables;

    private final AbstractTensor<?, ?>[][] pages;

    /** For each layer, those of the first pages, as many as Jlama has asked for last. */
    private final AbstractTensor<?, ?>[][] first;

    Lanes(int layers) {
      tables = new AbstractTensor<?, ?>[layers][0];
      pages = new AbstractTensor<?, ?>[layers][0];
      first = new AbstractTensor<?, ?>[layers][0];
    }

    void resize(int count) {
      for (int layer = 0; layer < pages.length; layer++) {
        tables[layer] = Arrays.copyOf(tables[layer], count);
        pages[layer] = Arrays.copyOf(pages[layer], count);
      }
    }

    void set(int layer, int page, MemorySegment bytes) {
      tables[layer][page] =
          new FloatBufferTensor(
              "kv",
              bytes.asByteBuffer().order(ByteOrder.LITTLE_ENDIAN).asFloatBuffer(),
              pageShape,
              false);
      pages[layer][page] = tables[layer][page].slice(0);
    }

    void forget() {
      Arrays.setAll(first, layer -> new AbstractTensor<?, ?>[0]);
    }

    AbstractTensor<?, ?> row(int layer, int position) {
      int page = position / blockTokens;
      return writable[page] ? pages[layer][page].slice(position % blockTokens) : scratch;
    }

    AbstractTensor<?, ?>[] upTo(int layer, int position) {
      int count = position / blockTokens + 1;
      if (first[layer].length != count) {
        first[layer] = Arrays.copyOf(pages[layer], count);
        // Each head reads single rows of the last page, which are kept only there.
        first[layer][count - 1] = tables[layer][count - 1].slice(true, 0);
      }
      return first[layer];
    }
  }

  /** Creates a buffer for so many elements of K of a token in a layer. */
  BlockBuffer(KvBufferCache cache, int layers, int width, int blockTokens) {
    super(cache);
    this.blockTokens = blockTokens;
    this.width = width;
    pageShape = TensorShape.of(1, blockTokens, width);
    keys = new Lanes(layers);
    values = new Lanes(layers);
  }

  /** Takes the blocks of a sequence, which stay in place while the access is open. */
  void open(Sequence sequence, KvAccess access) {
    int[] table = sequence.blockTable();
    int layers = keys.pages.length;
    if (table.length != blocks.length) {
      keys.resize(table.length);
      values.resize(table.length);
      writable = Arrays.copyOf(writable, table.length);
    }
    for (int page = 0; page < table.length; page++) {
      boolean own = access.writable(page);
      if (page < blocks.length && blocks[page] == table[page] && writable[page] == own) {
        continue;
      }
      writable[page] = own;
      for (int layer = 0; layer < layers; layer++) {
        keys.set(layer, page, access.keys(layer, page));
        values.set(layer, page, access.values(layer, page));
      }
      keys.forget();
      values.forget();
    }
    blocks = table;
  }

  @Override
  public AbstractTensor<?, ?> getKeyTensorForPosition(int layer, int position) {
    return keys.row(layer, position);
  }

  @Override
  public AbstractTensor<?, ?> getValTensorForPosition(int layer, int position) {
    return values.row(layer, position);
  }

  @Override
  public AbstractTensor<?, ?>[] getKeyTensorsUptoPosition(int layer, int position) {
    return keys.upTo(layer, position);
  }

  @Override
  public AbstractTensor<?, ?>[] getValTensorsUptoPosition(int layer, int position) {
    return values.upTo(layer, position);
  }
}
