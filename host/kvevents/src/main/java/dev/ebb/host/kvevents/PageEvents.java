package dev.ebb.host.kvevents;

import static java.util.Objects.requireNonNullElse;

import dev.ebb.host.engine.request.Namespace;
import dev.ebb.host.engine.request.PageListener;
import dev.ebb.host.kvevents.tokens.TokenBlock;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Makes events of the cached blocks of sequences. */
record PageEvents(KvEventQueue events, DiskEvents disk) implements PageListener {

  @Override
  public void stored(Page page) {
    int[] tokens = page.tokens();
    Long parent = page.parent();
    TokenBlock block = tokens == null ? null : block(page.id(), parent, tokens, page.namespace());
    events.page(new KvEvent.PageStored(page.id(), parent, block));
  }

  private static TokenBlock block(long id, @Nullable Long parent, int[] tokens, Namespace of) {
    boolean first = parent == null;
    return new TokenBlock(
        id,
        first,
        parent == null ? 0 : parent,
        tokens,
        requireNonNullElse(of.adapter(), ""),
        requireNonNullElse(of.salt(), ""),
        first ? ExtraKeys.of(texts(of)) : ExtraKeys.NONE);
  }

  /** Returns what distinguishes prompts of equal tokens, besides the adapter. */
  private static List<String> texts(Namespace namespace) {
    List<String> texts = new ArrayList<>(namespace.multimodalHashes());
    if (namespace.salt() != null) {
      texts.add(namespace.salt());
    }
    return texts;
  }

  @Override
  public void removed(long id) {
    events.add(new KvEvent.PageRemoved(id));
  }

  @Override
  public void announced(long number, long id) {
    disk.announced(number, ChunkId.page(id));
  }

  @Override
  public void onDisk(long number, boolean present) {
    if (present) {
      disk.stored(number);
    } else {
      disk.removed(number);
    }
  }
}
