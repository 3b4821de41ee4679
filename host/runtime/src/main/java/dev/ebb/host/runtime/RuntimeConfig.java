package dev.ebb.host.runtime;

import dev.ebb.host.config.ConfigEntry;
import dev.ebb.host.config.ConfigKeys;
import dev.ebb.host.config.ConfigTree;
import dev.ebb.host.config.EbbConfig;
import dev.ebb.host.config.EvictionConfig;
import dev.ebb.host.config.LoadedConfig;
import dev.ebb.host.config.PolicySpec;
import dev.ebb.host.config.hocon.ConfigOverride;
import dev.ebb.host.config.key.ConfigKey;
import dev.ebb.host.errors.Suggestions;
import dev.ebb.host.errors.UntrustedText;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.policy.PolicyFactory;
import dev.ebb.host.runtime.SiteConfigAppliers.Applier;
import dev.ebb.host.switching.SwitchCause;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The active configuration. Some keys can change at run time. A change is checked as a whole, then
 * takes effect as a whole or not at all.
 */
public final class RuntimeConfig {

  private static final Logger LOG = LoggerFactory.getLogger(RuntimeConfig.class);

  private final ConfigAppliers appliers;
  private final PolicyFactory factory;
  private final ConfigTree start;
  private ConfigTree file;
  private List<String> fileProblems = List.of();
  private boolean unread;
  private long triedWith;
  private List<String> afterRestart = List.of();
  private ConfigTree tree;
  private volatile EbbConfig config;
  private long version = 1;

  /**
   * Creates the configuration.
   *
   * @param appliers by key, applies a change; may throw {@link UserError}
   */
  public RuntimeConfig(
      EbbConfig config,
      ConfigTree tree,
      Map<ConfigKey<?>, Applier> appliers,
      PolicyFactory factory) {
    this.config = config;
    this.tree = tree;
    this.file = tree;
    this.start = tree;
    this.appliers = new ConfigAppliers(appliers);
    this.factory = factory;
  }

  /** A change of one value. */
  public record Change(String key, Object from, Object to) {}

  /**
   * The result of a change or a dry run.
   *
   * @param version the version of the active configuration, or of the new one if committed
   */
  public record Plan(long version, boolean committed, List<Change> changes) {}

  /** Another change was committed first, so the version that the caller saw is outdated. */
  public static final class StaleException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    StaleException(long seen, long version) {
      super(
          "the version '%d' is out of date, '%d' is active; look at the configuration again"
              .formatted(seen, version),
          null,
          false,
          false);
    }
  }

  /** Returns the version of the configuration: 1 at the start; each change increments it. */
  public synchronized long version() {
    return version;
  }

  public EbbConfig config() {
    return config;
  }

  /** Returns every active value, sorted by key. */
  public synchronized List<ConfigEntry> entries() {
    return tree.entries();
  }

  /** Applies changes of a key from now on, for a part of the process that starts later. */
  public synchronized void add(ConfigKey<?> key, Applier applier) {
    appliers.add(key, applier);
  }

  /** Returns whether a full key can change; otherwise it needs a restart. */
  public boolean changes(String key) {
    return appliers.has(key);
  }

  /** Returns what a change would do, without committing it. */
  public synchronized Plan plan(Map<String, @Nullable Object> wanted) {
    List<ConfigOverride> overrides = overrides(wanted, SwitchCause.OPERATOR);
    return new Plan(version, false, differences(validated(overrides, explicitKeys(overrides))));
  }

  /**
   * Commits changes if the caller has seen the current version.
   *
   * @param wanted values by full key; a map sets some values of a section, null restores the value
   *     of the file or the default
   * @throws StaleException if another change was committed first; nothing has changed then
   * @throws UserError with all errors; nothing has changed then
   */
  public synchronized Plan commit(long seen, Map<String, @Nullable Object> wanted) {
    if (seen != version) {
      throw new StaleException(seen, version);
    }
    return commit(wanted, SwitchCause.OPERATOR);
  }

  /** Commits changes regardless of the version. */
  public synchronized Plan commit(Map<String, @Nullable Object> wanted, SwitchCause cause) {
    List<ConfigOverride> overrides = overrides(wanted, cause);
    return commit(overrides, explicitKeys(overrides), cause);
  }

  /**
   * Activates a policy, then records it with its settings. Only the activation can fail, and it
   * checks the settings.
   *
   * @throws UserError if it cannot be activated; nothing has changed then
   */
  synchronized Plan use(PolicySpec wanted, SwitchCause cause, Applier activate) {
    List<ConfigOverride> values = wanted.overrides(source(cause));
    UserError.throwIfAny(fixed(values));
    LoadedConfig next = tree.with(config, wanted, source(cause));
    List<Change> changes =
        values.stream()
            .map(ConfigOverride::key)
            .map(key -> new Change(key, tree.value(key), next.tree().value(key)))
            .filter(change -> !change.from().equals(change.to()))
            .toList();
    activate.apply(changes.isEmpty() ? config : next.config(), cause);
    return recorded(next, changes, cause);
  }

  private Plan commit(List<ConfigOverride> overrides, Set<String> explicitKeys, SwitchCause cause) {
    LoadedConfig next = validated(overrides, explicitKeys);
    List<Change> changes = differences(next);
    appliers.apply(changes.stream().map(Change::key).toList(), next.config(), config, cause);
    return recorded(next, changes, cause);
  }

  private Plan recorded(LoadedConfig next, List<Change> changes, SwitchCause cause) {
    if (!changes.isEmpty()) {
      tree = next.tree();
      config = next.config();
      version++;
      changes.forEach(change ->
          LOG.info(
              "configuration changed version={} key={} from=\"{}\" to=\"{}\" cause=\"{}\"",
              version,
              change.key(),
              UntrustedText.line(String.valueOf(change.from())),
              UntrustedText.line(String.valueOf(change.to())),
              cause));
    }
    return new Plan(version, true, changes);
  }

  /**
   * Reads the configuration file again and applies its changes. A file with an error changes
   * nothing. Keys that need a restart are recorded.
   */
  public synchronized void follow() {
    follow(List.of());
  }

  /** Tries a refused file again if a plugin that it needs may be there now. */
  public synchronized void retry() {
    if (!fileProblems.isEmpty() && factory.pluginChanges() != triedWith) {
      follow(fileProblems);
    }
  }

  /** Reads a file again that could not be read: its permissions are no part of its content. */
  public synchronized void reread() {
    if (unread) {
      follow(fileProblems);
    }
  }

  private void follow(List<String> reported) {
    unread = true;
    triedWith = factory.pluginChanges();
    try {
      LoadedConfig fresh = file.reread();
      unread = false;
      UserError.throwIfAny(fresh.problems());
      follow(fresh.tree());
      fileProblems = List.of();
    } catch (UserError mistakes) {
      fileProblems = mistakes.messages();
      fileProblems.stream()
          .filter(problem -> !reported.contains(problem))
          .forEach(
              problem -> LOG.error("configuration file not taken over reason=\"{}\"", problem));
    }
  }

  private void follow(ConfigTree fresh) {
    List<ConfigOverride> overrides =
        differences(file, fresh).stream()
            .map(Change::key)
            .filter(appliers::has)
            .map(fresh::configured)
            .toList();
    if (!overrides.isEmpty()) {
      String name = String.valueOf(fresh.file().getFileName());
      Set<String> explicitKeys = new TreeSet<>();
      overrides.stream()
          .filter(each -> each.value() != null)
          .forEach(each -> explicitKeys.add(each.key()));
      commit(overrides, explicitKeys, new SwitchCause(SwitchCause.Kind.CONFIG_FILE, name));
    }
    file = fresh;
    afterRestart =
        differences(start, fresh).stream()
            .map(Change::key)
            .filter(key -> !appliers.has(key))
            .toList();
    if (!afterRestart.isEmpty()) {
      LOG.warn("configuration needs a restart keys={}", afterRestart);
    }
  }

  public synchronized List<String> fileProblems() {
    return fileProblems;
  }

  /** Returns the full keys of the configuration file that take effect after a restart. */
  public synchronized List<String> afterRestart() {
    return afterRestart;
  }

  private List<ConfigOverride> overrides(Map<String, @Nullable Object> wanted, SwitchCause cause) {
    List<ConfigOverride> overrides = new ArrayList<>();
    new TreeMap<>(wanted)
        .forEach((key, value) ->
            overrides.addAll(value == null ? unset(key) : set(key, value, source(cause))));
    return overrides;
  }

  /** Returns the overrides of a key; a policy may be given with settings in parentheses. */
  private static List<ConfigOverride> set(String key, Object value, String source) {
    return key.equals(EvictionConfig.POLICY.path())
            && value instanceof String text
            && text.contains("(")
        ? PolicySpec.parse(text, key).overrides(source)
        : ConfigOverride.each(key, value, source);
  }

  /** Returns the keys that a change sets; a key that it unsets has no source. */
  private static Set<String> explicitKeys(List<ConfigOverride> overrides) {
    return overrides.stream()
        .filter(each -> !each.source().isEmpty())
        .map(ConfigOverride::key)
        .collect(Collectors.toSet());
  }

  /** Returns the file's values of a key or a section that was changed since. */
  private List<ConfigOverride> unset(String key) {
    List<String> changed = changed();
    List<ConfigOverride> overrides =
        changed.stream()
            .filter(each -> each.equals(key) || each.startsWith(key + "."))
            .map(file::configured)
            .toList();
    if (overrides.isEmpty()) {
      throw new UserError(
          exists(key)
              ? "'%s' is as the file or the default says; changed since the start: %s"
                  .formatted(key, changed)
              : "'%s' is not a key%s; changed since the start: %s"
                  .formatted(key, nearest(key), changed));
    }
    return overrides;
  }

  private static boolean exists(String text) {
    return ConfigKeys.find(text).isPresent()
        || ConfigKeys.ALL.stream().anyMatch(key -> key.path().startsWith(text + "."));
  }

  private List<String> changed() {
    return keys(values(tree), values(file)).stream()
        .filter(key ->
            appliers.has(key)
                && !Objects.equals(tree.configured(key).value(), file.configured(key).value()))
        .toList();
  }

  private LoadedConfig validated(List<ConfigOverride> overrides, Set<String> explicitKeys) {
    List<String> problems = fixed(overrides);
    LoadedConfig next =
        tree.with(overrides.stream().filter(override -> appliers.has(override.key())).toList());
    problems.addAll(next.problems());
    if (problems.isEmpty()) {
      problems.addAll(new ConfigValidator(factory, config, next.config(), explicitKeys).problems());
    }
    UserError.throwIfAny(problems);
    return next;
  }

  private static String source(SwitchCause cause) {
    return cause.kind() == SwitchCause.Kind.OPERATOR ? ConfigOverride.ADMIN : cause.toString();
  }

  /** Returns why keys cannot change, one message each. */
  private List<String> fixed(List<ConfigOverride> overrides) {
    List<String> problems = new ArrayList<>();
    overrides.stream()
        .map(ConfigOverride::key)
        .filter(key -> !appliers.has(key))
        .forEach(key -> problems.add(fixed(key)));
    return problems;
  }

  private String fixed(String key) {
    if (appliers.choosesPlugin(key)) {
      return "'%s' cannot change while Ebb runs: which plugin serves a name is decided when plugins are loaded; set it in the configuration file and restart Ebb"
          .formatted(key);
    }
    return ConfigKeys.find(key).isPresent()
        ? "'%s' cannot change while Ebb runs: set it in the configuration file and restart Ebb; keys that can: %s"
            .formatted(key, appliers.keys())
        : "'%s' is not a key%s; keys that can change while Ebb runs: %s"
            .formatted(key, nearest(key), appliers.keys());
  }

  /** Returns a hint with the keys that end with a text, or are near to it. */
  private static String nearest(String text) {
    List<String> all = ConfigKeys.ALL.stream().map(ConfigKey::path).toList();
    List<String> ends = all.stream().filter(key -> key.endsWith("." + text)).toList();
    return ends.isEmpty() ? Suggestions.hint(text, all) : Suggestions.hint(ends);
  }

  private List<Change> differences(LoadedConfig next) {
    return differences(tree, next.tree()).stream()
        .filter(change -> appliers.has(change.key()))
        .toList();
  }

  private static List<Change> differences(ConfigTree before, ConfigTree after) {
    Map<String, Object> from = values(before);
    Map<String, Object> to = values(after);
    return keys(from, to).stream()
        .map(key -> new Change(key, from.getOrDefault(key, ""), to.getOrDefault(key, "")))
        .filter(change -> !change.from().equals(change.to()))
        .toList();
  }

  private static Set<String> keys(Map<String, Object> one, Map<String, Object> other) {
    Set<String> keys = new TreeSet<>(one.keySet());
    keys.addAll(other.keySet());
    return keys;
  }

  private static Map<String, Object> values(ConfigTree of) {
    return of.entries().stream().collect(Collectors.toMap(ConfigEntry::key, ConfigEntry::value));
  }
}
