package dev.ebb.host.plugin;

import dev.ebb.spi.SettingException;
import java.time.Duration;
import java.util.concurrent.Callable;

/**
 * Crosses into plugin code to make or close something: the thread's context class loader is the
 * plugin's meanwhile, and what the plugin throws is translated. Not for the access path.
 */
public final class PluginCall {

  /** The name of threads that call a plugin; one that is lost keeps it. */
  public static final String THREAD = "ebb-plugin-call";

  /** What makes or closes something takes moments; whoever takes so long never ends. */
  static final Duration LIMIT = Duration.ofSeconds(10);

  private PluginCall() {}

  /**
   * Calls a plugin.
   *
   * @param plugin any object of the plugin
   * @param what what is done, for messages: {@code "policy 'lfu' failed in create"}
   * @param call the plugin's code
   * @param <T> the result
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
      return translated(what, loader, call::call);
    } finally {
      thread.setContextClassLoader(before);
    }
  }

  /**
   * Calls a plugin on another thread, and waits for it no longer than ten seconds.
   *
   * @param plugin any object of the plugin
   * @param what what is done, for messages
   * @param call the plugin's code
   * @param <T> the result
   * @return what the plugin returned
   * @throws SettingException if the plugin says that a setting is wrong
   * @throws PluginFailure if it threw anything else, or did not return
   */
  public static <T> T bounded(Object plugin, String what, Callable<T> call) {
    return bounded(LIMIT, plugin, what, call);
  }

  /**
   * Calls a plugin on another thread, and waits for it no longer than a limit.
   *
   * @param limit how long
   * @param plugin any object of the plugin
   * @param what what is done, for messages
   * @param call the plugin's code
   * @param <T> the result
   * @return what the plugin returned
   * @throws SettingException if the plugin says that a setting is wrong
   * @throws PluginFailure if it threw anything else, or did not return
   */
  public static <T> T bounded(Duration limit, Object plugin, String what, Callable<T> call) {
    ClassLoader loader = plugin.getClass().getClassLoader();
    return translated(what, loader, () -> TimeLimited.run(limit, owner(plugin), loader, call));
  }

  private interface Body<T> {
    T run() throws Throwable;
  }

  /** What the plugin throws, in the words of the host. */
  private static <T> T translated(String what, ClassLoader loader, Body<T> body) {
    try {
      return body.run();
    } catch (SettingException wrong) {
      throw new SettingException(String.valueOf(wrong.getMessage()));
    } catch (PluginFailure nested) {
      throw nested;
    } catch (Throwable thrown) {
      throw PluginFailure.of(what, thrown, loader);
    }
  }

  /** All objects of a plugin are one; those of the host stand for themselves. */
  private static Object owner(Object plugin) {
    ClassLoader loader = plugin.getClass().getClassLoader();
    return loader == null || loader == PluginCall.class.getClassLoader() ? plugin : loader;
  }

  /**
   * Closes something that a plugin made.
   *
   * @param instance a policy or predictor
   * @param what what it is, for messages: {@code "policy 'lfu'"}
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
