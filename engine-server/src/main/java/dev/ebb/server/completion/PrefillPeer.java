package dev.ebb.server.completion;

import dev.ebb.host.engine.request.Namespace;
import dev.ebb.host.engine.sequence.PageExchange;
import dev.ebb.server.peer.PeerClient;
import dev.ebb.server.peer.PeerLine;
import dev.ebb.server.peer.PeerMetrics;
import dev.ebb.server.peer.PeerModel;
import dev.ebb.server.peer.PeerPrompt;
import dev.ebb.server.peer.PeerStream;
import dev.ebb.server.peer.PrefillRule;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Obtains the pages of long prompts from an engine that computes them, while it does. What it does
 * not deliver, this engine computes.
 */
final class PrefillPeer {

  private static final Logger LOG = LoggerFactory.getLogger(PrefillPeer.class);

  private final URI peer;
  private final PeerClient client;
  private final CompletionEngine<?> engine;
  private final PageExchange pages;
  private final PeerModel model;
  private final PeerMetrics metrics;
  private final PrefillRule rule = new PrefillRule();

  PrefillPeer(
      URI peer,
      PeerClient client,
      CompletionEngine<?> engine,
      PageExchange pages,
      PeerModel model,
      PeerMetrics metrics) {
    this.peer = peer;
    this.client = client;
    this.engine = engine;
    this.pages = pages;
    this.model = model;
    this.metrics = metrics;
    engine.measure(rule);
  }

  /**
   * Obtains the pages of a prompt that are not cached, if that is worth it.
   *
   * @param gone whether the client has disconnected
   */
  void obtain(Completion completion, BooleanSupplier gone) {
    int[] tokens = completion.prompt();
    Namespace namespace = completion.origin().namespace();
    // The last token is computed here in any case, because its output is needed.
    int all = (tokens.length - 1) / pages.pageTokens();
    int cached = pages.cachedPages(namespace, tokens);
    int missing = (all - cached) * pages.pageTokens();
    if (!pages.caches() || !rule.asks(missing)) {
      return;
    }
    metrics.asked.increment();
    long begun = System.nanoTime();
    Obtained obtained = new Obtained(namespace, PageCopies.prompt(model, completion), cached);
    try {
      obtained.run(all, begun + rule.limitNanos(missing), gone);
      rule.obtained(obtained.tokens(), System.nanoTime() - begun);
    } catch (IOException failed) {
      metrics.failed.increment();
      rule.failed();
      LOG.warn(
          "prompt computed here peer={} tokens={} obtained={} reason=\"{}\"",
          peer,
          missing,
          obtained.tokens(),
          failed.getMessage());
    } catch (CancellationException stopping) {
      // The completion is refused.
    }
    if (obtained.tokens() > 0) {
      metrics.used.increment();
      metrics.tokens.add(obtained.tokens());
    }
  }

  /** The pages that have come. */
  private final class Obtained {
    private final Namespace namespace;
    private final PeerPrompt prompt;
    private final int first;
    private int next;

    Obtained(Namespace namespace, PeerPrompt prompt, int first) {
      this.namespace = namespace;
      this.prompt = prompt;
      this.first = first;
      next = first;
    }

    int tokens() {
      return (next - first) * pages.pageTokens();
    }

    void run(int all, long deadline, BooleanSupplier gone) throws IOException {
      try (PeerStream lines = client.stream(peer, PeerClient.PREFILL, prompt)) {
        boolean ended = false;
        boolean room = true;
        while (!ended && room && next < all && !gone.getAsBoolean()) {
          PeerLine line = lines.next(deadline);
          ended = line.ended() != null;
          if (ended && line.message() != null && !line.message().isEmpty()) {
            throw new IOException(line.message());
          }
          int computed = line.computed() == null ? 0 : line.computed() / pages.pageTokens();
          room = copy(ended ? all : Math.min(all, computed));
        }
      }
    }

    /**
     * Copies pages that the peer has computed; returns false if they do not come, or do not fit.
     */
    private boolean copy(int to) throws IOException {
      int before = -1;
      while (next < to && next > before) {
        before = next;
        int from = next;
        int count = Math.min(to - from, PageCopies.atOnce(pages));
        List<byte[]> read = client.read(peer, prompt.pages(from, count), pages.pageBytes());
        metrics.bytesIn.add((long) read.size() * pages.pageBytes());
        next =
            Math.max(
                next, engine.between(() -> pages.write(namespace, prompt.tokens(), from, read)));
      }
      return next >= to;
    }
  }
}
