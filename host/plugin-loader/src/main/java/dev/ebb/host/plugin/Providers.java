package dev.ebb.host.plugin;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigObject;
import dev.ebb.host.errors.Suggestions;
import dev.ebb.host.errors.UntrustedText;
import dev.ebb.host.plugin.jar.NameLength;
import dev.ebb.host.plugin.jar.PluginRefusal;
import dev.ebb.spi.PolicyPlugin;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Finds the strategies that a plugin offers, with {@link ServiceLoader} in its own class loader,
 * and judges each. One that cannot be used refuses the whole JAR.
 */
final class Providers {

  private static final Pattern NAME = Pattern.compile("[a-z0-9]+(-[a-z0-9]+)*");

  /** The reserved name with which users choose no strategy at all. */
  static final String NONE = "none";

  /** The reserved name of the host's choice among block policies. */
  static final String AUTO = "auto";

  private final ClassLoader loader;
  private final String pluginId;
  private final Config defaults;

  Providers(ClassLoader loader, String pluginId, Config defaults) {
    this.loader = loader;
    this.pluginId = pluginId;
    this.defaults = defaults;
  }

  List<Strategy<?>> find() {
    List<Strategy<?>> found = new ArrayList<>();
    List<PolicyPlugin> lists = lists();
    StrategyKind.ALL.forEach(kind -> found.addAll(ofKind(kind, lists)));
    if (found.isEmpty()) {
      throw new PluginRefusal(
          "it offers no strategy: no provider is listed in any of "
              + StrategyKind.services().stream()
                  .map(StrategyKind::serviceFile)
                  .collect(Collectors.joining(", "))
              + joined(UnlistedProviders.in(loader)));
    }
    checkDefaults(found.stream().map(Strategy::name).sorted().distinct().toList());
    return List.copyOf(found);
  }

  private List<PolicyPlugin> lists() {
    return listed(PolicyPlugin.class).stream()
        .map(listed -> instance(PolicyPlugin.class, listed))
        .toList();
  }

  private <P> List<Strategy<P>> ofKind(StrategyKind<P> kind, List<PolicyPlugin> lists) {
    Map<String, Strategy<P>> byName = new LinkedHashMap<>();
    for (ServiceLoader.Provider<P> listed : listed(kind.service())) {
      P provider = instance(kind.service(), listed);
      add(strategy(kind, provider, provider), byName);
    }
    for (PolicyPlugin list : lists) {
      String type = list.getClass().getName();
      for (P provider :
          asked("the list of " + type, () -> List.copyOf(kind.listedIn().apply(list)))) {
        add(strategy(kind, provider, list), byName);
      }
    }
    return List.copyOf(byName.values());
  }

  private static <P> void add(Strategy<P> strategy, Map<String, Strategy<P>> byName) {
    Strategy<P> twin = byName.put(strategy.name(), strategy);
    if (twin != null) {
      throw new PluginRefusal(
          "it offers the %s '%s' twice: %s and %s"
              .formatted(
                  strategy.kind().noun(),
                  strategy.name(),
                  twin.owner().getClass().getName(),
                  strategy.owner().getClass().getName()));
    }
  }

  private <P> List<ServiceLoader.Provider<P>> listed(Class<P> service) {
    try {
      return ServiceLoader.load(service, loader).stream().toList();
    } catch (Throwable thrown) {
      String why =
          thrown.getCause() instanceof NoSuchMethodException noConstructor
              ? inaccessible(noConstructor)
              : PluginErrors.of(thrown) + hints(service, thrown);
      throw new PluginRefusal(StrategyKind.serviceFile(service) + ": " + why);
    }
  }

  /**
   * Returns the problem; a class that is not public has no public constructor unless one is
   * declared.
   */
  private String inaccessible(NoSuchMethodException noConstructor) {
    String type = String.valueOf(noConstructor.getMessage()).replaceFirst("\\.<init>\\(\\)$", "");
    try {
      if (!Modifier.isPublic(Class.forName(type, false, loader).getModifiers())) {
        return notPublic(type);
      }
    } catch (ClassNotFoundException | LinkageError unknown) {
      // Then only the missing constructor is known.
    }
    return type + " has no public constructor without parameters; give it one";
  }

  private static String notPublic(String type) {
    return type
        + " is not a public class; declare it public, and give it a public constructor without"
        + " parameters, or none";
  }

  /** Returns the classes that a listed but unusable one could have meant. */
  private String hints(Class<?> service, Throwable thrown) {
    boolean listing = thrown instanceof ServiceConfigurationError && thrown.getCause() == null;
    return listing
        ? joined(
            UnlistedProviders.in(loader).stream()
                .filter(hint -> hint.contains(service.getName() + ","))
                .toList())
        : "";
  }

  private static String joined(List<String> hints) {
    return hints.stream().map(hint -> "; " + hint).collect(Collectors.joining());
  }

  private <S> S instance(Class<S> service, ServiceLoader.Provider<S> listed) {
    String type = listed.type().getName();
    if (!Modifier.isPublic(listed.type().getModifiers())) {
      throw new PluginRefusal(StrategyKind.serviceFile(service) + ": " + notPublic(type));
    }
    return asked("the constructor of " + type, listed::get);
  }

  private <P> Strategy<P> strategy(StrategyKind<P> kind, P provider, Object owner) {
    String type = owner.getClass().getName();
    String name = asked("name() of " + type, () -> kind.nameOf().apply(provider));
    checkName(name, type);
    return new Strategy<>(kind, name, pluginId, provider, owner, defaultsOf(name));
  }

  private <T> T asked(String what, Callable<T> call) {
    try {
      return TimeLimited.run(PluginCall.LIMIT, loader, loader, call);
    } catch (Throwable thrown) {
      throw new PluginRefusal(
          what + " failed: " + PluginErrors.of(thrown) + PluginErrors.where(thrown));
    }
  }

  private static void checkName(String name, String type) {
    String tooLong = name == null ? "" : NameLength.problem("name() of " + type + ":", name);
    if (!tooLong.isEmpty()) {
      throw new PluginRefusal(tooLong);
    }
    if (name == null || !NAME.matcher(name).matches()) {
      throw new PluginRefusal(
          "name() of %s is '%s', but must be lower-case letters, digits and inner dashes"
              .formatted(type, UntrustedText.line(String.valueOf(name))));
    }
    if (name.equals(NONE) || name.equals(AUTO)) {
      throw new PluginRefusal(
          "name() of %s is '%s', which is reserved; choose another".formatted(type, name));
    }
  }

  private Config defaultsOf(String name) {
    return defaults.root().get(name) instanceof ConfigObject section
        ? section.toConfig()
        : ConfigFactory.empty();
  }

  private void checkDefaults(List<String> names) {
    defaults
        .root()
        .forEach((key, value) -> {
          if (!names.contains(key) || !(value instanceof ConfigObject)) {
            throw new PluginRefusal(
                "reference.conf: '%s'%s must be a section named after one of its strategies: %s"
                    .formatted(key, Suggestions.hint(key, names), names));
          }
        });
  }
}
