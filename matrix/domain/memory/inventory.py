"""The tensors of a model's GGUF file, from the shape that a config or a catalogue states."""

from matrix.domain.memory.gguf_tensors import TensorShape, list_tensors
from matrix.domain.memory.llamacpp_shape import llama_shape_of
from matrix.domain.memory.values import ModelShape


def tensors_of(shape: ModelShape) -> tuple[TensorShape, ...] | None:
    """The tensors of the model's GGUF file in file order, ``None`` where they are not known."""
    llama = llama_shape_of(shape)
    return None if llama is None else list_tensors(llama)
