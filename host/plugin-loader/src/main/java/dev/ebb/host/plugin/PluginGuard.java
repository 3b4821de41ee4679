package dev.ebb.host.plugin;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodHandles.Lookup;
import java.lang.module.ModuleDescriptor;
import java.lang.reflect.AccessibleObject;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.Member;
import java.lang.reflect.Modifier;
import org.jspecify.annotations.Nullable;

/**
 * Stands between plugins and the JDK's methods that end the process or give access to private
 * members. Members of the host and its libraries stay closed, as those of a named module that opens
 * no package. Everything else is for the JVM to decide.
 */
public final class PluginGuard {

  private PluginGuard() {}

  /** Refuses {@link System#exit}. */
  // Only the changed classes of plugins call it.
  @SuppressWarnings("DoNotCallSuggester")
  public static void exit(int status) {
    throw new SecurityException(
        "a plugin must not end the process; throw an exception instead of System.exit,"
            + " Runtime.exit or Runtime.halt");
  }

  /** Refuses {@link Runtime#exit}. */
  public static void exit(Runtime runtime, int status) {
    exit(status);
  }

  /** Refuses {@link Runtime#halt}. */
  public static void halt(Runtime runtime, int status) {
    exit(status);
  }

  /** Calls {@link AccessibleObject#setAccessible(boolean)} for a plugin. */
  public static void setAccessible(AccessibleObject member, boolean flag) {
    if (flag) {
      check(member);
    }
    member.setAccessible(flag);
  }

  /** Calls {@link AccessibleObject#setAccessible(AccessibleObject[], boolean)} for a plugin. */
  public static void setAccessible(AccessibleObject[] members, boolean flag) {
    AccessibleObject[] copy = members.clone();
    if (flag) {
      for (AccessibleObject member : copy) {
        check(member);
      }
    }
    AccessibleObject.setAccessible(copy, flag);
  }

  /** Calls {@link AccessibleObject#trySetAccessible()} for a plugin. */
  public static boolean trySetAccessible(AccessibleObject member) {
    return !isClosed(member) && member.trySetAccessible();
  }

  /** Calls {@link MethodHandles#privateLookupIn} for a plugin. */
  public static Lookup privateLookupIn(Class<?> type, Lookup caller) throws IllegalAccessException {
    if (isOfHost(type)) {
      throw new IllegalAccessException(
          "A plugin cannot look up private members of " + reason(type));
    }
    return MethodHandles.privateLookupIn(type, caller);
  }

  private static void check(AccessibleObject member) {
    if (isClosed(member)) {
      throw new InaccessibleObjectException(
          "A plugin cannot make '%s' accessible: it is a member of %s"
              .formatted(member, reason(((Member) member).getDeclaringClass())));
    }
  }

  private static String reason(Class<?> type) {
    return "'%s', which belongs to Ebb; use the methods of dev.ebb.spi".formatted(type.getName());
  }

  private static boolean isClosed(AccessibleObject object) {
    return object instanceof Member member
        && isOfHost(member.getDeclaringClass())
        && !isExported(member);
  }

  /** Returns whether plugins can use a member without more access. */
  private static boolean isExported(Member member) {
    Class<?> type = member.getDeclaringClass();
    return SpiClassLoader.isShared(type.getName())
        && Modifier.isPublic(type.getModifiers())
        && Modifier.isPublic(member.getModifiers());
  }

  /** Returns whether a class comes from the host's loader or one above it, and not from the JDK. */
  private static boolean isOfHost(Class<?> type) {
    ModuleDescriptor module = type.getModule().getDescriptor();
    return (module == null || module.isAutomatic())
        && isAtOrAbove(type.getClassLoader(), PluginGuard.class.getClassLoader());
  }

  private static boolean isAtOrAbove(@Nullable ClassLoader loader, @Nullable ClassLoader from) {
    for (ClassLoader each = from; each != null; each = each.getParent()) {
      if (each == loader) {
        return true;
      }
    }
    return false;
  }
}
