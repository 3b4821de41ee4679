package dev.ebb.server.completion;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds TCP connections that their clients have closed, in the system's tables. The JDK's HTTP
 * server notices a closed connection only when it writes, and while a request waits there is
 * nothing to write.
 */
public final class ClosedConnections {

  private static final int ESTABLISHED = 1;
  private static final Duration FRESH = Duration.ofMillis(250);

  /** A connection of this machine. */
  private record Connection(InetSocketAddress server, InetSocketAddress client) {}

  private final List<Path> tables;
  private @Nullable Set<Connection> open;
  private long read;

  /** Uses the tables of this machine. */
  public ClosedConnections() {
    this(List.of(Path.of("/proc/net/tcp"), Path.of("/proc/net/tcp6")));
  }

  /** Uses other files in the format of {@code /proc/net/tcp}. */
  ClosedConnections(List<Path> tables) {
    this.tables = tables;
  }

  /**
   * Returns whether a client has closed a connection, as known some 100 ms ago.
   *
   * @return false also where the system has no such tables
   */
  public boolean contains(InetSocketAddress server, InetSocketAddress client) {
    Set<Connection> known = open();
    return known != null && !known.contains(new Connection(server, client));
  }

  /** Many requests can wait, so that they share what was read. */
  private synchronized @Nullable Set<Connection> open() {
    long now = System.nanoTime();
    if (read == 0 || now - read > FRESH.toNanos()) {
      read = now;
      open = readTables();
    }
    return open;
  }

  private @Nullable Set<Connection> readTables() {
    Set<Connection> connections = new HashSet<>();
    boolean readable = false;
    for (Path table : tables) {
      try {
        List<String> lines = Files.readAllLines(table);
        for (String line : lines.subList(Math.min(1, lines.size()), lines.size())) {
          String[] columns = line.strip().split("\\s+", 5);
          if (Integer.parseInt(columns[3], 16) == ESTABLISHED) {
            connections.add(new Connection(address(columns[1]), address(columns[2])));
          }
        }
        readable = true;
      } catch (IOException | RuntimeException unreadable) {
        // IPv6 can be disabled. Without any table, all connections count as open.
      }
    }
    return readable ? connections : null;
  }

  /** Reads {@code 0100007F:1F90}: words of the address in the byte order of the machine. */
  private static InetSocketAddress address(String text) throws UnknownHostException {
    int colon = text.indexOf(':');
    byte[] bytes = HexFormat.of().parseHex(text.substring(0, colon));
    for (int word = 0; word < bytes.length; word += 4) {
      swap(bytes, word, word + 3);
      swap(bytes, word + 1, word + 2);
    }
    return new InetSocketAddress(
        InetAddress.getByAddress(bytes), Integer.parseInt(text.substring(colon + 1), 16));
  }

  private static void swap(byte[] bytes, int one, int other) {
    byte kept = bytes[one];
    bytes[one] = bytes[other];
    bytes[other] = kept;
  }
}
