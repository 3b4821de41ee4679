package dev.ebb.host.wiring;

import com.google.inject.Binder;
import com.google.inject.Guice;
import com.google.inject.Injector;
import com.google.inject.Module;
import com.google.inject.ProvisionException;
import com.google.inject.Singleton;
import com.google.inject.Stage;
import dev.ebb.host.config.ConfigTree;
import dev.ebb.host.config.EbbConfig;
import dev.ebb.host.config.LoadedConfig;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.lifecycle.Closer;
import dev.ebb.host.plugin.PluginCatalog;
import dev.ebb.host.plugin.PluginHost;
import dev.ebb.host.policy.PolicyCheck;
import dev.ebb.host.policy.PolicyDescriptions;
import dev.ebb.host.policy.PolicyFactory;
import java.util.ArrayList;
import java.util.List;

/** The wired process with its plugins loaded. It owns everything that has to be closed. */
public final class Host implements AutoCloseable {

  private static final String BYTECODE = "guice_bytecode_gen_option";

  private final Injector injector;
  private final LoadedConfig loaded;
  private final PluginHost plugins;
  private final PolicyFactory policies;
  private final PolicyCheck check;
  private final PolicyDescriptions descriptions;

  private Host(LoadedConfig loaded, Injector injector) {
    this.injector = injector;
    this.loaded = loaded;
    this.plugins = injector.getInstance(PluginHost.class);
    this.policies = injector.getInstance(PolicyFactory.class);
    this.check = injector.getInstance(PolicyCheck.class);
    this.descriptions = injector.getInstance(PolicyDescriptions.class);
  }

  /**
   * Wires the host and loads its plugins. Mistakes in the configuration are left to {@link
   * #verify}, so that those which only plugins know are reported with the others.
   *
   * @param loaded the configuration as read
   * @throws UserError if the plugin folder cannot be read, or plugins cannot be copied
   */
  public static Host open(LoadedConfig loaded) {
    requireNoBytecode();
    Injector injector =
        Guice.createInjector(Stage.DEVELOPMENT, binder -> bind(binder, loaded.config()));
    Host host = new Host(loaded, injector);
    host.plugins.open();
    return host;
  }

  /**
   * Binds the parts of every host, and forbids what makes an injector surprising: just-in-time
   * bindings, proxies, loose annotations. What plugins load is never bound.
   */
  private static void bind(Binder binder, EbbConfig config) {
    binder.disableCircularProxies();
    binder.requireExplicitBindings();
    binder.requireExactBindingAnnotations();
    binder.requireAtInjectOnConstructors();
    binder.bind(EbbConfig.class).toInstance(config);
    binder.bind(PluginHost.class).in(Singleton.class);
    binder.bind(PolicyFactory.class).in(Singleton.class);
    binder.bind(PolicyCheck.class).in(Singleton.class);
    binder.bind(PolicyDescriptions.class).in(Singleton.class);
  }

  /**
   * Guice makes classes with ASM, and fails without it unless it is configured not to. An embedding
   * program needs ASM only if it uses Guice's interceptors.
   */
  private static void requireNoBytecode() {
    if (System.getProperty(BYTECODE) == null
        && Host.class.getResource("/org/objectweb/asm/ClassVisitor.class") == null) {
      System.setProperty(BYTECODE, "DISABLED");
    }
  }

  /**
   * Refuses a wrong configuration.
   *
   * @throws UserError with every mistake in it
   */
  public void verify() {
    List<String> problems = new ArrayList<>(loaded.problems());
    problems.addAll(check.problems());
    UserError.throwIfAny(problems);
  }

  /**
   * Puts a process together, on the configuration and the plugins of this host. What a constructor
   * names first is opened first.
   *
   * @param root the part that has the others
   * @param opened gets what is opened, and is closed if a part cannot be
   * @param features the modules of the process
   */
  public <T> T wire(Class<T> root, Closer opened, Module... features) {
    List<Module> modules = new ArrayList<>(List.of(features));
    modules.addFirst(binder -> {
      binder.bind(Host.class).toInstance(this);
      binder.bind(Closer.class).toInstance(opened);
    });
    try {
      return injector.createChildInjector(modules).getInstance(root);
    } catch (ProvisionException failed) {
      opened.close();
      // A mistake in the configuration is reported as such, not as one of the wiring.
      switch (failed.getCause()) {
        case RuntimeException cause -> throw cause;
        case Error cause -> throw cause;
        case null, default -> throw failed;
      }
    }
  }

  /**
   * The configuration.
   *
   * @return as read, defaults in place of wrong values
   */
  public EbbConfig config() {
    return loaded.config();
  }

  /** Returns the origin of each value of the configuration. */
  public ConfigTree tree() {
    return loaded.tree();
  }

  /** Returns the catalog of the plugin folder. */
  public PluginCatalog plugins() {
    return plugins.catalog();
  }

  /** Returns the plugin host, which loads and unloads plugins while the host is open. */
  public PluginHost pluginHost() {
    return plugins;
  }

  public PolicyFactory policies() {
    return policies;
  }

  public PolicyDescriptions descriptions() {
    return descriptions;
  }

  /** Unloads the plugins. Instances must be closed before. */
  @Override
  public void close() {
    plugins.close();
  }
}
