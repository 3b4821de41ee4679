package dev.ebb.host.transfer;

import dev.ebb.host.transfer.FetchResult.Status;
import dev.ebb.host.transfer.TransferException.Reason;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** One fetch: receives a value, and again from its start if it changes meanwhile. */
final class Fetch {

  private static final int MOST_CHANGES = 3;
  private static final int SHOWN_KEY = 64;

  final TransferClient client;
  final InetSocketAddress peer;
  final byte[] key;
  final FetchOptions options;
  final TransferSink sink;
  final long deadline;
  final AtomicInteger damages = new AtomicInteger();
  final AtomicInteger retries = new AtomicInteger();
  final LongAdder received = new LongAdder();

  Fetch(
      TransferClient client,
      InetSocketAddress peer,
      byte[] key,
      FetchOptions options,
      TransferSink sink) {
    this.client = client;
    this.peer = peer;
    this.key = key;
    this.options = options;
    this.sink = sink;
    deadline = System.nanoTime() + options.timeout().toNanos();
  }

  FetchResult run() throws TransferException, InterruptedException {
    for (int changes = 0; ; changes++) {
      VersionFetch version = new VersionFetch(this);
      Status status = version.run();
      if (status != Status.CHANGED || changes == MOST_CHANGES) {
        if (status == Status.COMPLETE) {
          client.counters.value(options.priority());
        }
        return new FetchResult(
            status, version.header(), version.bytes(), received.sum(), retries.get());
      }
    }
  }

  TransferException failed(IOException cause) {
    Reason reason = client.reason(cause, deadline);
    return new TransferException(
        reason,
        "the fetch of key '%s' from node '%s' failed%s: %s"
            .formatted(
                shown(key),
                peer,
                reason == Reason.TIMED_OUT ? " after " + options.timeout().toMillis() + " ms" : "",
                cause.getMessage()),
        cause);
  }

  /** Returns the start of a key; bytes that are not printable ASCII as {@code \xhh}. */
  private static String shown(byte[] key) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < key.length && i < SHOWN_KEY; i++) {
      int unit = key[i] & 0xff;
      text.append(unit > ' ' && unit < 0x7f ? "" + (char) unit : "\\x%02x".formatted(unit));
    }
    return key.length > SHOWN_KEY ? text.append("...").toString() : text.toString();
  }
}
