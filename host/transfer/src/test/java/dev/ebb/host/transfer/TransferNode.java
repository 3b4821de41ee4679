package dev.ebb.host.transfer;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.function.UnaryOperator;

/** A server with values, and a client. */
final class TransferNode implements AutoCloseable {

  static final TransferOptions OPTIONS = TransferOptions.of(bytes("secret"));

  /** Several streams, also on a machine with few processors. */
  static final FetchOptions READ = FetchOptions.READ.withStreams(4);

  static final TransferOptions.TimeLimits SHORT =
      new TransferOptions.TimeLimits(
          Duration.ofSeconds(5),
          Duration.ofMillis(300),
          Duration.ofMillis(300),
          Duration.ofSeconds(30));

  final SentValues values = new SentValues();
  final TransferServer server;
  final TransferClient client;

  TransferNode() throws IOException {
    this(OPTIONS);
  }

  TransferNode(TransferOptions options) throws IOException {
    this(options, message -> message);
  }

  TransferNode(TransferOptions options, UnaryOperator<byte[]> handler) throws IOException {
    server = TransferServer.start(loopback(0), values, handler, FetchListener.NONE, options);
    client = new TransferClient(options);
  }

  static TransferOptions limited(TransferOptions.Limits limits) {
    return new TransferOptions(
        OPTIONS.secret(), null, limits, OPTIONS.times(), 0, OPTIONS.readsFirst());
  }

  static FetchOptions atLeast(long version) {
    return fetch(version, READ.timeout());
  }

  static FetchOptions within(Duration timeout) {
    return fetch(READ.minVersion(), timeout);
  }

  private static FetchOptions fetch(long minVersion, Duration timeout) {
    return new FetchOptions(
        READ.priority(),
        READ.offset(),
        READ.length(),
        minVersion,
        READ.streams(),
        READ.attempts(),
        timeout,
        null);
  }

  static InetSocketAddress loopback(int port) {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
  }

  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  InetSocketAddress address() {
    return server.address();
  }

  FetchResult fetch(String key, FetchOptions options, TransferSink sink)
      throws TransferException, InterruptedException {
    return client.fetch(address(), bytes(key), options, sink);
  }

  @Override
  public void close() {
    client.close();
    server.close();
  }
}
