package dev.ebb.host.policy;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigUtil;
import dev.ebb.host.config.ConfiguredSettings;
import dev.ebb.host.config.SettingValue;
import dev.ebb.host.errors.UntrustedText;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.plugin.PluginCall;
import dev.ebb.host.plugin.PluginFailure;
import dev.ebb.host.plugin.Strategy;
import dev.ebb.spi.SettingException;
import dev.ebb.spi.Settings;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * Makes an instance of a strategy from its settings, or reports every problem in them. A provider
 * stops at the first wrong setting, so it is called again without that one.
 */
public final class Creation {

  private static final int MOST_LINES = 100;

  private final Strategy<?> strategy;
  private final String path;
  private final Config settings;
  private final List<String> problems = new ArrayList<>();
  private List<SettingValue> asked = List.of();

  /**
   * Prepares a creation.
   *
   * @param path the section of the settings, for messages
   * @param settings the user's settings, without the plugin's defaults
   */
  public Creation(Strategy<?> strategy, String path, Config settings) {
    this.strategy = strategy;
    this.path = path;
    this.settings = settings;
  }

  /**
   * Makes an instance.
   *
   * @param provider the strategy's provider, which gets a context with the settings
   * @throws UserError if settings are wrong or unknown
   * @throws PluginFailure if the plugin fails
   */
  public <T extends AutoCloseable> T run(Function<Settings, T> provider) {
    Config remaining = settings;
    while (true) {
      ConfiguredSettings attempt =
          new ConfiguredSettings(
              path, remaining.withFallback(strategy.defaults()), strategy.defaults());
      try {
        return known(attempt, create(provider, attempt));
      } catch (SettingException wrong) {
        UntrustedText.message(wrong)
            .lines()
            .limit(MOST_LINES)
            .map(UntrustedText::line)
            .forEach(problems::add);
        String rejected = attempt.rejected();
        if (rejected == null || !remaining.root().containsKey(rejected)) {
          throw new UserError(problems);
        }
        remaining = remaining.withoutPath(ConfigUtil.joinPath(rejected));
      }
    }
  }

  /**
   * Returns the settings that the provider read.
   *
   * @return by key; empty if it failed
   */
  public List<SettingValue> asked() {
    return asked;
  }

  private <T> T create(Function<Settings, T> provider, Settings attempt) {
    String what =
        "%s '%s' of plugin '%s' failed in create"
            .formatted(strategy.kind().noun(), strategy.name(), strategy.pluginId());
    return PluginCall.bounded(
        strategy.provider(),
        what,
        () -> {
          T made = provider.apply(attempt);
          if (made == null) {
            throw new IllegalStateException("create returned null");
          }
          return made;
        });
  }

  private <T extends AutoCloseable> T known(ConfiguredSettings attempt, T made) {
    problems.addAll(attempt.unknown());
    if (!problems.isEmpty()) {
      PluginCall.close(made, strategy.kind().noun() + " '" + strategy.name() + "'");
      throw new UserError(problems);
    }
    asked = attempt.asked();
    return made;
  }
}
