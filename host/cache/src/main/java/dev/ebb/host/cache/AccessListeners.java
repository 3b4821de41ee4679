package dev.ebb.host.cache;

import dev.ebb.host.cache.index.CacheRequest;
import dev.ebb.host.cache.index.RequestFacts;
import dev.ebb.spi.RemovalCause;
import java.util.Arrays;
import java.util.function.Consumer;

/** The listeners of one place: usually none. Guarded by the place's lock. */
public final class AccessListeners implements AccessListener {

  private AccessListener[] listeners = new AccessListener[0];

  void add(AccessListener listener) {
    listeners = Arrays.copyOf(listeners, listeners.length + 1);
    listeners[listeners.length - 1] = listener;
  }

  void remove(AccessListener listener) {
    listeners =
        Arrays.stream(listeners).filter(each -> each != listener).toArray(AccessListener[]::new);
  }

  public boolean isEmpty() {
    return listeners.length == 0;
  }

  @Override
  public void began(CacheRequest request) {
    each(listener -> listener.began(request));
  }

  @Override
  public void appended(long key, RequestFacts facts) {
    each(listener -> listener.appended(key, facts));
  }

  @Override
  public void hit(long key, int blocks, RequestFacts facts) {
    each(listener -> listener.hit(key, blocks, facts));
  }

  @Override
  public void missed(long key, RequestFacts facts) {
    each(listener -> listener.missed(key, facts));
  }

  @Override
  public void stored(long key, long blocks, RequestFacts facts) {
    each(listener -> listener.stored(key, blocks, facts));
  }

  @Override
  public void reweighed(long key, int blocks) {
    each(listener -> listener.reweighed(key, blocks));
  }

  @Override
  public void removed(long key, RemovalCause cause) {
    each(listener -> listener.removed(key, cause));
  }

  @Override
  public void cleared() {
    each(listener -> listener.cleared());
  }

  private void each(Consumer<AccessListener> event) {
    for (AccessListener listener : listeners) {
      event.accept(listener);
    }
  }
}
