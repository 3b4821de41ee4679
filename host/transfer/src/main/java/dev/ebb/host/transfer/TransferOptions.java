package dev.ebb.host.transfer;

import java.time.Duration;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * The options of a node's server and client.
 *
 * @param secret known to all nodes of the cluster; without bytes, every node that knows no other
 *     secret is accepted
 * @param tls encrypts all connections; null for none
 * @param backgroundRate the most bytes per second that all background fetches of the client receive
 *     together; 0 for no limit
 * @param readsFirst the longest time that each part of a background fetch waits for reads
 */
@SuppressWarnings("ArrayRecordComponent") // Copied on each way in and out.
public record TransferOptions(
    byte[] secret,
    @Nullable SSLContext tls,
    Limits limits,
    TimeLimits times,
    long backgroundRate,
    Duration readsFirst) {

  /** The most bytes of a key. */
  public static final int MAX_KEY = 1 << 20;

  /** The most bytes of a message and of its reply. */
  public static final int MAX_MESSAGE = 16 << 20;

  /**
   * Limits of memory.
   *
   * @param connections the most connections of a server
   * @param greetings the most of them that have not proved the secret yet
   * @param perPeer the most connections of a client to one peer
   * @param piece the bytes of a value that have one checksum
   * @param part the bytes of a large value that one connection transfers before the next part
   */
  public record Limits(int connections, int greetings, int perPeer, int piece, int part) {

    public static final Limits DEFAULT = new Limits(1024, 128, 64, 512 << 10, 8 << 20);

    public Limits {
      atLeastOne("connections", connections);
      atLeastOne("greetings", greetings);
      atLeastOne("perPeer", perPeer);
      if (piece < 1 || piece > FrameChannel.MAX_PIECE) {
        throw new IllegalArgumentException(
            "piece '%d' must be 1 to %d".formatted(piece, FrameChannel.MAX_PIECE));
      }
      atLeastOne("part", part);
    }
  }

  /**
   * Limits of time.
   *
   * @param connect for a connection to be established
   * @param greeting for both sides to prove the secret
   * @param stall without any byte in a transfer
   * @param idle for an unused connection of a client; servers wait twice as long
   */
  public record TimeLimits(Duration connect, Duration greeting, Duration stall, Duration idle) {

    public static final TimeLimits DEFAULT =
        new TimeLimits(
            Duration.ofSeconds(5),
            Duration.ofSeconds(5),
            Duration.ofSeconds(10),
            Duration.ofSeconds(60));

    public TimeLimits {
      positive("connect", connect);
      positive("greeting", greeting);
      positive("stall", stall);
      positive("idle", idle);
    }
  }

  public TransferOptions {
    if (backgroundRate < 0) {
      throw new IllegalArgumentException(
          "backgroundRate '" + backgroundRate + "' must be 0 (no limit) or more");
    }
    if (readsFirst.isNegative()) {
      throw new IllegalArgumentException("readsFirst '" + readsFirst + "' must be 0 or more");
    }
    secret = secret.clone();
  }

  public static TransferOptions of(byte[] secret) {
    return new TransferOptions(
        secret, null, Limits.DEFAULT, TimeLimits.DEFAULT, 0, Duration.ofMillis(100));
  }

  @Override
  public byte[] secret() {
    return secret.clone();
  }

  public TransferOptions withTls(@Nullable SSLContext context) {
    return new TransferOptions(secret, context, limits, times, backgroundRate, readsFirst);
  }

  public TransferOptions withTimes(TimeLimits other) {
    return new TransferOptions(secret, tls, limits, other, backgroundRate, readsFirst);
  }

  public TransferOptions withBackground(long bytesPerSecond, Duration wait) {
    return new TransferOptions(secret, tls, limits, times, bytesPerSecond, wait);
  }

  @Override
  public String toString() {
    return "TransferOptions[tls=%s]".formatted(tls != null);
  }

  private static void atLeastOne(String name, int value) {
    if (value < 1) {
      throw new IllegalArgumentException("%s '%d' must be at least 1".formatted(name, value));
    }
  }

  private static void positive(String name, Duration value) {
    if (value.isNegative() || value.isZero()) {
      throw new IllegalArgumentException("%s '%s' must be positive".formatted(name, value));
    }
  }
}
