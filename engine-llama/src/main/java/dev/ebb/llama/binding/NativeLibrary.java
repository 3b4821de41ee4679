package dev.ebb.llama.binding;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BOOLEAN;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.util.Objects.requireNonNull;

import dev.ebb.host.errors.UserError;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The shared library with llama.cpp, from the JAR {@code de.kherud:llama}. It is opened without
 * JNI: only its C functions are used.
 */
@SuppressWarnings("restricted")
final class NativeLibrary {

  private static final List<String> NEEDED = List.of("libstdc++.so.6", "libgomp.so.1");

  private static final Linker LINKER = Linker.nativeLinker();

  /** The signatures of functions that take or return a structure. */
  private static final Map<String, FunctionDescriptor> WITH_STRUCTURES =
      Map.of(
          "llama_model_default_params",
          FunctionDescriptor.of(Structs.MODEL_PARAMS),
          "llama_model_load_from_file",
          FunctionDescriptor.of(ADDRESS, ADDRESS, Structs.MODEL_PARAMS),
          "llama_context_default_params",
          FunctionDescriptor.of(Structs.CONTEXT_PARAMS),
          "llama_init_from_model",
          FunctionDescriptor.of(ADDRESS, ADDRESS, Structs.CONTEXT_PARAMS),
          "llama_decode",
          FunctionDescriptor.of(JAVA_INT, ADDRESS, Structs.BATCH),
          "llama_kv_cache_view_init",
          FunctionDescriptor.of(Structs.CACHE_VIEW, ADDRESS, JAVA_INT),
          "llama_sampler_chain_init",
          FunctionDescriptor.of(ADDRESS, Structs.SAMPLER_CHAIN_PARAMS));

  private NativeLibrary() {}

  /** Opens the library for the life of the process; refuses a machine that cannot. */
  static Native open() {
    SymbolLookup library = lookup();
    Map<Method, MethodHandle> functions = new HashMap<>();
    for (Method method : Native.class.getMethods()) {
      MethodHandle function = function(library, method);
      functions.put(
          method,
          function
              .asSpreader(Object[].class, method.getParameterCount())
              .asType(MethodType.methodType(Object.class, Object[].class)));
    }
    return Native.class.cast(
        Proxy.newProxyInstance(
            Native.class.getClassLoader(),
            new Class<?>[] {Native.class},
            (proxy, method, arguments) ->
                requireNonNull(functions.get(method)).invokeExact(arguments)));
  }

  private static MethodHandle function(SymbolLookup library, Method method) {
    String name = method.getName().replaceAll("[A-Z]", "_$0").toLowerCase(Locale.ROOT);
    MemorySegment address =
        library
            .find(name)
            .orElseThrow(() ->
                new UserError(
                    "the library with llama.cpp has no function '%s'; take version 4.2.0 of de.kherud:llama"
                        .formatted(name)));
    FunctionDescriptor signature = WITH_STRUCTURES.get(name);
    return LINKER.downcallHandle(address, signature == null ? signature(method) : signature);
  }

  private static FunctionDescriptor signature(Method method) {
    MemoryLayout[] parameters =
        Arrays.stream(method.getParameterTypes())
            .map(NativeLibrary::layout)
            .toArray(MemoryLayout[]::new);
    Class<?> result = method.getReturnType();
    return result == void.class
        ? FunctionDescriptor.ofVoid(parameters)
        : FunctionDescriptor.of(layout(result), parameters);
  }

  private static MemoryLayout layout(Class<?> type) {
    return switch (type.getName()) {
      case "int" -> JAVA_INT;
      case "long" -> JAVA_LONG;
      case "float" -> JAVA_FLOAT;
      case "boolean" -> JAVA_BOOLEAN;
      default -> ADDRESS;
    };
  }

  /** Returns a function for llama.cpp that calls a method, valid as long as the arena. */
  static MemorySegment callback(
      MethodHandles.Lookup lookup,
      Object receiver,
      String method,
      FunctionDescriptor shape,
      Arena arena) {
    try {
      return LINKER.upcallStub(lookup.bind(receiver, method, shape.toMethodType()), shape, arena);
    } catch (ReflectiveOperationException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  private static SymbolLookup lookup() {
    String resource =
        resource(System.getProperty("os.name", ""), System.getProperty("os.arch", ""));
    try (InputStream packed = NativeLibrary.class.getResourceAsStream(resource)) {
      return open(packed, resource);
    } catch (IOException failed) {
      throw new UserError("llama.cpp cannot be unpacked: " + failed.getMessage());
    }
  }

  /** Returns the resource of a platform's library; refuses a platform without one. */
  static String resource(String system, String processor) {
    String folder =
        switch (processor.toLowerCase(Locale.ROOT)) {
          case "amd64", "x86_64" -> "x86_64";
          case "aarch64", "arm64" -> "aarch64";
          default -> "";
        };
    if (!system.equals("Linux") || folder.isEmpty()) {
      throw new UserError(
          "llama.cpp is available for Linux on x86-64 or aarch64 only, but this is '%s' on '%s'"
              .formatted(system, processor));
    }
    return "/de/kherud/llama/Linux/%s/libjllama.so".formatted(folder);
  }

  private static SymbolLookup open(@Nullable InputStream packed, String resource)
      throws IOException {
    if (packed == null) {
      throw new UserError(
          "'%s' is not on the class path; put llama-4.2.0.jar beside the JAR of engine-llama"
              .formatted(resource));
    }
    Path folder =
        Files.createTempDirectory(
            "ebb-llama-",
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    Path file = folder.resolve("libjllama.so");
    try {
      Files.copy(packed, file);
      return SymbolLookup.libraryLookup(file, Arena.global());
    } catch (IllegalArgumentException refused) {
      throw new UserError(
          "llama.cpp cannot be loaded: %s; it needs glibc 2.17 or newer, and a temporary folder from which programs may run ('%s')"
              .formatted(missing(), folder.getParent()));
    } finally {
      // A mapped file stays, so nothing has to be cleaned up when the process ends.
      Files.deleteIfExists(file);
      Files.deleteIfExists(folder);
    }
  }

  private static String missing() {
    List<String> missing = NEEDED.stream().filter(name -> !present(name)).toList();
    return missing.isEmpty() ? "the system refuses it" : String.join(", ", missing) + " is missing";
  }

  private static boolean present(String name) {
    try (Arena arena = Arena.ofConfined()) {
      SymbolLookup.libraryLookup(name, arena);
      return true;
    } catch (IllegalArgumentException absent) {
      return false;
    }
  }
}
