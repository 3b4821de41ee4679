package dev.ebb.server.completion;

import dev.ebb.host.engine.request.Namespace;
import dev.ebb.host.engine.sequence.PageExchange;
import dev.ebb.server.peer.PageFrames;
import dev.ebb.server.peer.PeerClient;
import dev.ebb.server.peer.PeerMetrics;
import dev.ebb.server.peer.PeerModel;
import dev.ebb.server.peer.PeerPrompt;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Gives the cached pages of a sequence to another engine, in pieces. */
final class PageCopies {

  /** The bytes of a piece, or one page if that is larger. */
  private static final int PIECE = 4 << 20;

  private final @Nullable PageExchange pages;
  private final PeerClient client;
  private final URI target;
  private final Namespace namespace;
  private final PeerPrompt prompt;
  private final PeerMetrics metrics;
  private boolean over;
  private int copied;
  private long bytes;

  /** Copies the pages of a completion; {@code pages} is null if the engines share none. */
  PageCopies(
      @Nullable PageExchange pages,
      PeerClient client,
      URI target,
      PeerModel model,
      Completion completion,
      PeerMetrics metrics) {
    this.pages = pages;
    this.client = client;
    this.target = target;
    namespace = completion.origin().namespace();
    prompt = prompt(model, completion);
    this.metrics = metrics;
  }

  /** Returns how many pages are copied at a time. */
  static int atOnce(PageExchange pages) {
    return Math.max(1, PIECE / pages.pageBytes());
  }

  /** Returns the prompt of a completion for another engine. */
  static PeerPrompt prompt(PeerModel model, Completion completion) {
    Completion.Origin origin = completion.origin();
    CompletionOptions options = completion.options();
    return new PeerPrompt(
        model,
        origin.owner(),
        options.tenant(),
        origin.request().cacheSalt(),
        options.priority(),
        completion.prompt(),
        0,
        0);
  }

  int copied() {
    return copied;
  }

  long bytes() {
    return bytes;
  }

  /**
   * Copies the full pages of some tokens that are not copied yet, until the target has no room.
   *
   * @return whether any was copied
   */
  boolean copy(int... tokens) throws IOException {
    PageExchange from = pages;
    if (from == null) {
      return false;
    }
    int before = copied;
    PeerPrompt grown = prompt.of(tokens);
    while (!over && copied < tokens.length / from.pageTokens()) {
      int first = copied;
      List<byte[]> piece = from.read(namespace, tokens, first, atOnce(from));
      int has =
          piece.isEmpty()
              ? 0
              : client.write(target, new PageFrames(grown.pages(first, piece.size()), piece));
      over = has < first + piece.size() || piece.isEmpty();
      long size = (long) piece.size() * from.pageBytes();
      metrics.bytesOut.add(size);
      bytes += size;
      copied = Math.max(copied, Math.min(has, first + piece.size()));
    }
    return copied > before;
  }
}
