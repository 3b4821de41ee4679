package dev.ebb.host.switching;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.cache.PolicyPlace;
import dev.ebb.host.cache.policy.PolicyState;
import dev.ebb.host.errors.Reasons;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.plugin.PluginCall;
import dev.ebb.host.plugin.PluginFailure;
import dev.ebb.host.plugin.StrategyVersion;
import dev.ebb.host.policy.StrategyInstance;
import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.SettingException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What policies have learned, by policy and partition: in memory, so that a policy that is
 * activated again continues, and in files, so that it does so after a restart. Plugins cannot harm
 * anything but their own state.
 */
public final class PolicyStates {

  private static final Logger LOG = LoggerFactory.getLogger(PolicyStates.class);

  /** All states in memory; the one that was saved longest ago is dropped first. */
  private static final long MOST_BYTES = 16L * PolicyState.MOST_BYTES;

  private final @Nullable Path folder;
  private final Map<Key, Kept> kept = new LinkedHashMap<>();

  private record Key(String policy, String partition) {}

  /**
   * A state in memory.
   *
   * @param file null if the policy failed, so that its state is not to be used again
   * @param written whether the file in the folder is the same
   */
  private record Kept(@Nullable StateFile file, boolean written) {
    long bytes() {
      return file == null ? 0 : file.bytes().length;
    }
  }

  /**
   * Creates states.
   *
   * @param folder the folder of their files, which is created if it is missing; null for none
   * @throws UserError if the folder cannot be created
   */
  public PolicyStates(@Nullable Path folder) {
    this.folder = folder;
    try {
      if (folder != null) {
        Files.createDirectories(folder);
      }
    } catch (IOException refused) {
      throw new UserError(
          "ebb.state.folder = '%s' cannot be created: %s; name a folder that Ebb may create and write"
              .formatted(folder, Reasons.of(refused)));
    }
  }

  /** Asks a policy what it has learned in each partition. */
  void keep(StrategyVersion version, List<PolicyPlace> places) {
    if (version.plugin() == null) {
      return;
    }
    for (PolicyPlace place : places) {
      PolicyState state = place.policyState();
      // After a fault, the built-in policy answers.
      if (state == null || !state.policy().equals(version.name())) {
        continue;
      }
      if (state.problem() != null) {
        LOG.warn(
            "state not saved policy={} partition={} reason=\"{}\"",
            version.name(),
            place.name(),
            state.problem());
      } else {
        StateFile file =
            new StateFile(requireNonNull(version.plugin()), state.format(), state.bytes());
        keep(new Key(version.name(), place.name()), file);
      }
    }
  }

  private synchronized void keep(Key key, StateFile file) {
    Kept before = kept.remove(key);
    boolean same =
        before != null
            && before.file() != null
            && before.written()
            && before.file().format() == file.format()
            && before.file().plugin().equals(file.plugin())
            && Arrays.equals(before.file().bytes(), file.bytes());
    kept.put(key, new Kept(file, same));
    long bytes = kept.values().stream().mapToLong(Kept::bytes).sum();
    Iterator<Kept> oldest = kept.values().iterator();
    while (bytes > MOST_BYTES) {
      bytes -= oldest.next().bytes();
      oldest.remove();
    }
  }

  /** Forgets the states of a policy that failed, because they may be the cause. */
  synchronized void forget(String policy, List<PolicyPlace> places) {
    places.forEach(place -> kept.put(new Key(policy, place.name()), new Kept(null, false)));
  }

  /** Creates an instance of a policy that continues with its state, if there is one. */
  StrategyInstance<BlockPolicy<?>> restored(
      StrategyVersion version,
      String partition,
      Supplier<StrategyInstance<BlockPolicy<?>>> create) {
    StrategyInstance<BlockPolicy<?>> instance = create.get();
    if (version.plugin() == null) {
      return instance;
    }
    Key key = new Key(version.name(), partition);
    StateFile state = find(key);
    if (state == null) {
      return instance;
    }
    try {
      load(version, state, instance.value());
      LOG.info(
          "state loaded policy={} partition={} bytes={}",
          version.name(),
          partition,
          state.bytes().length);
      return instance;
    } catch (IOException | PluginFailure | SettingException refused) {
      LOG.warn(
          "state not loaded policy={} partition={} reason=\"{}\"; the policy starts with nothing"
              + " learned",
          version.name(),
          partition,
          refused.getMessage());
    }
    // Removed now: if the plugin hangs, no instance can be created until the next start.
    Kept unusable = new Kept(null, false);
    synchronized (this) {
      kept.put(key, unusable);
    }
    if (folder != null) {
      write(folder, key, unusable);
    }
    try {
      instance.close();
    } catch (PluginFailure late) {
      LOG.warn("policy not closed name={} reason=\"{}\"", version.name(), late.getMessage());
    }
    return create.get();
  }

  private static void load(StrategyVersion version, StateFile state, BlockPolicy<?> policy)
      throws IOException {
    String what = "policy '%s' failed in loadState".formatted(version.name());
    int format = PluginCall.bounded(policy, what, policy::stateFormat);
    if (format != state.format() || !state.plugin().equals(version.plugin())) {
      throw new IOException(
          "it is format '%d' of plugin '%s', not format '%d' of plugin '%s'"
              .formatted(state.format(), state.plugin(), format, version.plugin()));
    }
    PluginCall.bounded(
        policy,
        what,
        () -> {
          policy.loadState(new ByteArrayInputStream(state.bytes()));
          return true;
        });
  }

  private @Nullable StateFile find(Key key) {
    synchronized (this) {
      Kept known = kept.get(key);
      if (known != null || folder == null) {
        return known == null ? null : known.file();
      }
    }
    Path file = StateFile.path(folder, key.policy(), key.partition());
    try {
      return StateFile.read(file, key.policy(), key.partition());
    } catch (NoSuchFileException none) {
      return null;
    } catch (IOException refused) {
      LOG.warn(
          "state not loaded file={} reason=\"{}\"; the policy starts with nothing learned",
          file,
          refused.toString());
      return null;
    }
  }

  /** Writes what has changed to the folder. What cannot be written is tried again next time. */
  public void write() {
    if (folder == null) {
      return;
    }
    List<Map.Entry<Key, Kept>> changed;
    synchronized (this) {
      changed = new ArrayList<>(kept.entrySet().stream().map(Map.Entry::copyOf).toList());
    }
    changed.removeIf(each -> each.getValue().written());
    for (Map.Entry<Key, Kept> each : changed) {
      write(folder, each.getKey(), each.getValue());
    }
  }

  private void write(Path to, Key key, Kept state) {
    Path file = StateFile.path(to, key.policy(), key.partition());
    try {
      if (state.file() == null) {
        Files.deleteIfExists(file);
      } else {
        state.file().write(file, key.policy(), key.partition());
      }
      synchronized (this) {
        kept.replace(key, state, new Kept(state.file(), true));
      }
    } catch (IOException refused) {
      LOG.warn("state not saved file={} reason=\"{}\"", file, refused.toString());
    }
  }
}
