package dev.ebb.host.plugin;

import dev.ebb.host.errors.UntrustedText;
import dev.ebb.spi.SettingException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;

/**
 * Calls plugin code to make or close something. Meanwhile the thread's context class loader is the
 * plugin's, and the plugin's exceptions are translated. Not for the access path.
 */
public final class PluginCall {

  /** The name of threads that call a plugin; an abandoned one keeps it. */
  public static final String THREAD = "ebb-plugin-call";

  /** Making or closing something takes moments; a call that takes so long never ends. */
  static final Duration LIMIT = Duration.ofSeconds(10);

  private PluginCall() {}

  /**
   * Calls a plugin.
   *
   * @param what the call, for messages: {@code "policy 'lfu' failed in create"}
   * @param call the plugin's code
   * @return what the plugin returned
   * @throws SettingException if the plugin says that a setting is wrong
   * @throws PluginFailure if it threw anything else
   */
  public static <T> T call(Object plugin, String what, Callable<T> call) {
    ClassLoader loader = plugin.getClass().getClassLoader();
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    thread.setContextClassLoader(loader);
    try {
      return translated(what, call::call);
    } finally {
      thread.setContextClassLoader(before);
    }
  }

  /**
   * Calls a plugin on another thread, and waits at most ten seconds for it.
   *
   * @param what the call, for messages
   * @param call the plugin's code
   * @return what the plugin returned
   * @throws SettingException if the plugin says that a setting is wrong
   * @throws PluginFailure if it threw anything else, or did not return
   */
  public static <T> T bounded(Object plugin, String what, Callable<T> call) {
    return bounded(LIMIT, plugin, what, call);
  }

  /**
   * Calls a plugin on another thread, and waits at most the limit for it.
   *
   * @param what the call, for messages
   * @param call the plugin's code
   * @return what the plugin returned
   * @throws SettingException if the plugin says that a setting is wrong
   * @throws PluginFailure if it threw anything else, or did not return
   */
  public static <T> T bounded(Duration limit, Object plugin, String what, Callable<T> call) {
    ClassLoader loader = plugin.getClass().getClassLoader();
    return translated(what, () -> TimeLimited.run(limit, owner(plugin), loader, call));
  }

  private interface Invocation<T> {
    T run() throws Throwable;
  }

  /** Calls a plugin and translates its exceptions. */
  private static <T> T translated(String what, Invocation<T> body) {
    try {
      return body.run();
    } catch (SettingException wrong) {
      throw new SettingException(String.valueOf(wrong.getMessage()));
    } catch (PluginFailure nested) {
      throw nested;
    } catch (Throwable thrown) {
      throw PluginFailure.of(what, thrown);
    }
  }

  /** Returns the first line of a plugin in a stack: its class loader has no name. */
  public static Optional<String> line(List<StackTraceElement> stack) {
    return stack.stream()
        .filter(frame -> frame.getModuleName() == null && frame.getClassLoaderName() == null)
        .findFirst()
        .map(frame -> UntrustedText.line(frame.toString()));
  }

  /**
   * Returns the owner of an object: all objects of a plugin have one owner; host objects own
   * themselves.
   */
  private static Object owner(Object plugin) {
    ClassLoader loader = plugin.getClass().getClassLoader();
    return loader == null || loader == PluginCall.class.getClassLoader() ? plugin : loader;
  }

  /**
   * Closes something that a plugin made.
   *
   * @param instance a policy or predictor
   * @param what its name, for messages: {@code "policy 'lfu'"}
   * @throws PluginFailure if the plugin threw, or did not return
   */
  public static void close(AutoCloseable instance, String what) {
    bounded(
        instance,
        what + " failed in close",
        () -> {
          instance.close();
          return true;
        });
  }
}
