"""Kernels that only kernels call are merged into their callers: they get no machine code, which nobody would run.

LLVM takes a fifth of all compiling to make it. What callers link is the optimized bitcode, with it or without. This follows
the inner workings of one numba; any other compiles the kernels as usual (`MERGES`).
"""

from __future__ import annotations

from typing import Any, Self

import llvmlite.binding
import numba
from numba.core import compiler
from numba.core.codegen import JITCodeLibrary

MERGES = numba.__version__.rpartition(".")[0] == "0.68"
"""Whether this is the numba that the classes below were written for, and tested with."""


class Merged(JITCodeLibrary):  # type: ignore[misc]  # numba has no types
    """The bitcode of one kernel and of all that it calls; neither it nor the address of its environment is in the memory of programs."""

    @classmethod
    def parsed(cls, codegen: Any, state: tuple[str, str, bytes]) -> Self:
        """What `serialize_using_object_code` gave."""
        made: Self = cls(codegen, state[0])
        made._final_module = llvmlite.binding.parse_bitcode(state[2])
        made._finalize_final_module()
        return made

    def serialize_using_object_code(self) -> tuple[str, str, bytes]:
        """Bitcode alone: numba keeps it beside the machine code."""
        self._ensure_finalized()
        return self.name, "bitcode", self._get_module_for_linking().as_bitcode()

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        for function in self._final_module.functions:
            if not function.is_declaration and function.linkage == llvmlite.binding.Linkage.external:
                function.linkage = (
                    "linkonce_odr"  # several callers have it, and may drop it once it is inlined
                )
        self._shared_module = self._final_module
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:  # noqa: ARG002  # of any
        """No function is in memory."""
        self._ensure_finalized()
        return 0

    @property
    def codegen(self) -> Any:
        """Of which numba asks here only that it sets an environment."""
        return self

    def set_env(self, name: str, environment: Any) -> None:
        """What Python calls has the environments of all that was merged into it (`EntryCompiler`)."""


class MergedCompiler(compiler.Compiler):  # type: ignore[misc]  # numba has no types
    """numba's compiler, into such a library."""

    def _compile_core(self) -> Any:
        state = self.state
        state.library = Merged(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        return super()._compile_core()


class EntryCompiler(compiler.Compiler):  # type: ignore[misc]  # numba has no types
    """numba's compiler for what Python calls, which also sets the environments of all that was merged into it."""

    def _compile_core(self) -> Any:
        result = super()._compile_core()
        for environment in result._find_referenced_environments():  # noqa: SLF001  # numba has no other way
            result.library.codegen.set_env(environment.env_name, environment)
        return result


def restored(context: Any, payload: tuple[Any, ...]) -> Any:
    """A kernel from a cache, as `CompileResult._rebuild` makes it, with such a library."""
    data, descriptor, environment, signature, objectmode, lifted, annotation, reload_init, environments = (
        payload
    )
    for initialize in reload_init:
        initialize()
    library = Merged.parsed(context.codegen(), data)
    return compiler.CompileResult(
        target_context=context,
        typing_context=context.typing_context,
        library=library,
        environment=environment,
        entry_point=context.get_executable(library, descriptor, environment),
        fndesc=descriptor,
        type_annotation=annotation,
        signature=signature,
        objectmode=objectmode,
        lifted=lifted,
        typing_error=None,
        call_helper=None,
        metadata=None,
        reload_init=reload_init,
        referenced_envs=environments,
    )
