package dev.ebb.host.http;

import java.io.IOException;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Sends the same events to all who listen. Each has a short queue; whoever does not read in time is
 * dropped, so that a slow reader costs neither memory nor the others' time.
 */
public final class EventFeed implements AutoCloseable {

  /** How many may listen at a time. */
  public static final int MOST_READERS = 64;

  private static final int QUEUE = 16;

  private final Set<Reader> readers = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  /** A feed that nobody listens to. */
  public EventFeed() {}

  private record Event(String name, String data) {}

  private static final class Reader {
    private final BlockingQueue<Event> queue = new ArrayBlockingQueue<>(QUEUE);
    private final Thread thread = Thread.currentThread();
  }

  /**
   * Returns how many listen.
   *
   * @return 0 to {@link #MOST_READERS}
   */
  public int readers() {
    return readers.size();
  }

  /**
   * Sends an event to all readers, without waiting for any.
   *
   * @param data its content on one line
   */
  public void publish(String name, String data) {
    Event event = new Event(name, data);
    for (Reader reader : readers) {
      if (!reader.queue.offer(event)) {
        drop(reader);
      }
    }
  }

  /**
   * Returns a new reader's stream.
   *
   * @return events from now on, until the reader goes, falls behind, or the feed is closed
   * @throws HttpException if too many listen already
   */
  public Reply open() {
    if (readers.size() >= MOST_READERS) {
      throw new HttpException(
          503, "'%d' readers listen already; close one of them".formatted(MOST_READERS));
    }
    return new Reply.Events(this::serve);
  }

  private void serve(ServerSentEvents stream) throws IOException, InterruptedException {
    Reader reader = new Reader();
    readers.add(reader);
    try {
      stream.begin();
      while (!closed) {
        Event event = reader.queue.take();
        stream.send(event.name(), event.data());
      }
    } finally {
      readers.remove(reader);
    }
  }

  /** An interrupt ends a write that is stuck, and with it the connection. */
  private void drop(Reader reader) {
    if (readers.remove(reader)) {
      reader.thread.interrupt();
    }
  }

  /** Ends all streams. */
  @Override
  public void close() {
    closed = true;
    readers.forEach(this::drop);
  }
}
