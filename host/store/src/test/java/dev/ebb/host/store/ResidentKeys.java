package dev.ebb.host.store;

import dev.ebb.host.group.ObjectGroup;
import dev.ebb.host.store.key.KeyListener;
import dev.ebb.spi.RemovalCause;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Follows which keys are resident: each is stored once, after its parent, and removed after that.
 */
final class ResidentKeys implements KeyListener {

  final Set<String> resident = new HashSet<>();
  final List<String> wrong = new ArrayList<>();

  /** How many keys had a parent. */
  int parents;

  @Override
  public void stored(byte[] key, int group, @Nullable ObjectGroup kind, byte @Nullable [] parent) {
    if (!resident.add(text(key)) || (parent != null && !resident.contains(text(parent)))) {
      wrong.add(text(key));
    }
    parents += parent == null ? 0 : 1;
  }

  @Override
  public void removed(byte[] key, int group, RemovalCause cause) {
    if (!resident.remove(text(key))) {
      wrong.add(text(key));
    }
  }

  @Override
  public void cleared() {}

  private static String text(byte[] key) {
    return new String(key, StandardCharsets.UTF_8);
  }
}
