package dev.ebb.host.http;

import java.io.IOException;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Sends the same events to all readers. Each reader has a short queue. A reader that falls behind
 * is disconnected, so a slow reader costs no memory and does not delay others.
 */
public final class EventFeed implements AutoCloseable {

  /** The maximum number of concurrent readers. */
  public static final int MOST_READERS = 1_024;

  private static final int QUEUE = 16;

  private final Set<Reader> readers = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  public EventFeed() {}

  /** Ends a stream when its reader takes it. */
  private static final byte[] END = {};

  private static final class Reader {
    private final BlockingQueue<byte[]> queue = new ArrayBlockingQueue<>(QUEUE);
    private final Thread thread = Thread.currentThread();
  }

  public int readers() {
    return readers.size();
  }

  /** Sends an event, with its content on one line, to all readers without blocking. */
  public void publish(String name, String data) {
    publish(ServerSentEvents.encoded(name, data));
  }

  private void publish(byte[] event) {
    for (Reader reader : readers) {
      if (!reader.queue.offer(event)) {
        drop(reader);
      }
    }
  }

  /**
   * Returns the stream of a new reader.
   *
   * @return events from now on, until the reader disconnects or falls behind, or the feed is closed
   * @throws HttpException if there are too many readers
   */
  public Reply open() {
    if (readers.size() >= MOST_READERS) {
      throw new HttpException(
          503, "'%d' readers listen already; close one of them".formatted(MOST_READERS));
    }
    return new Reply.Stream(ServerSentEvents.TYPE, out -> serve(new ServerSentEvents(out)));
  }

  private void serve(ServerSentEvents stream) throws IOException, InterruptedException {
    Reader reader = new Reader();
    readers.add(reader);
    try {
      stream.begin();
      while (!closed) {
        byte[] event = reader.queue.take();
        if (event == END) {
          return;
        }
        stream.send(event);
      }
    } finally {
      readers.remove(reader);
    }
  }

  /** Disconnects a reader. The interrupt ends a blocked write and closes the connection. */
  private void drop(Reader reader) {
    if (readers.remove(reader)) {
      reader.thread.interrupt();
    }
  }

  /** Ends all streams. A reader that has fallen behind is disconnected. */
  @Override
  public void close() {
    closed = true;
    publish(END);
  }
}
