package dev.ebb.host.resp.session;

import dev.ebb.host.config.server.UserConfig;
import dev.ebb.host.resp.ClientMemory;
import dev.ebb.host.store.StoreConnection;
import io.netty.channel.Channel;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** The state of one client. Written by its own event loop, read by others. */
public final class Session {

  public final long id;
  public final String remote;
  final String local;

  /** Whether the client is connected over the Unix domain socket. */
  public final boolean unix;

  public final StoreConnection store;
  public final Channel channel;

  /** Of {@link ClientMemory}. */
  public final AtomicLong memoryBytes = new AtomicLong();

  final long sinceNanos = System.nanoTime();

  /** The user that has logged in; null for none. */
  public volatile @Nullable User user;

  public volatile int protocol = 2;
  public volatile String name = "";
  public volatile String library = "";
  public volatile String libraryVersion = "";
  private volatile String lastCommand = "NULL";

  /** When the client last sent something. */
  public volatile long activeNanos = sinceNanos;

  /** The connection closes once its replies are sent. */
  public boolean leaving;

  public Session(
      long id,
      String remote,
      String local,
      @Nullable User user,
      boolean unix,
      StoreConnection store,
      Channel channel) {
    this.id = id;
    this.store = store;
    this.channel = channel;
    this.remote = remote;
    this.local = local;
    this.user = user;
    this.unix = unix;
  }

  public void ran(String command) {
    // To see that it is the same costs less than to write it.
    if (!command.equals(lastCommand)) {
      lastCommand = command;
    }
  }

  /** Returns the address without the port. */
  public String host() {
    return remote.substring(0, remote.lastIndexOf(':'));
  }

  public String line() {
    long now = System.nanoTime();
    User current = user;
    return "id=%d addr=%s laddr=%s fd=0 name=%s age=%d idle=%d flags=N db=0 sub=0 psub=0 ssub=0 multi=-1 user=%s redir=-1 resp=%d lib-name=%s lib-ver=%s cmd=%s"
        .formatted(
            id,
            remote,
            local,
            name,
            (now - sinceNanos) / 1_000_000_000,
            (now - activeNanos) / 1_000_000_000,
            current == null ? UserConfig.DEFAULT : current.name,
            protocol,
            library,
            libraryVersion,
            lastCommand);
  }
}
