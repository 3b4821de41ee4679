package dev.ebb.host.store;

import dev.ebb.host.cache.AccessListener;
import dev.ebb.host.cache.CacheRequest;
import dev.ebb.host.cache.RequestFacts;
import dev.ebb.spi.RemovalCause;
import java.util.Arrays;

/** Whoever hears what is asked of a partition; nobody, nearly always. Guarded by its lock. */
final class AccessListeners implements AccessListener {

  private AccessListener[] taps = new AccessListener[0];

  void add(AccessListener tap) {
    taps = Arrays.copyOf(taps, taps.length + 1);
    taps[taps.length - 1] = tap;
  }

  void remove(AccessListener tap) {
    taps = Arrays.stream(taps).filter(each -> each != tap).toArray(AccessListener[]::new);
  }

  @Override
  public void began(CacheRequest request) {
    for (AccessListener tap : taps) {
      tap.began(request);
    }
  }

  @Override
  public void hit(long key, int blocks, RequestFacts facts) {
    for (AccessListener tap : taps) {
      tap.hit(key, blocks, facts);
    }
  }

  @Override
  public void missed(long key, RequestFacts facts) {
    for (AccessListener tap : taps) {
      tap.missed(key, facts);
    }
  }

  @Override
  public void stored(long key, long blocks, RequestFacts facts) {
    for (AccessListener tap : taps) {
      tap.stored(key, blocks, facts);
    }
  }

  @Override
  public void removed(long key, RemovalCause cause) {
    for (AccessListener tap : taps) {
      tap.removed(key, cause);
    }
  }

  @Override
  public void cleared() {
    for (AccessListener tap : taps) {
      tap.cleared();
    }
  }
}
