"""Tiny models from configurations and a tokenizer trained in code: the head of scripts under test."""

HEAD = """
import os
os.environ["HF_HUB_OFFLINE"] = "1"
import torch, torch.nn as nn, torch.nn.functional as F
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
from transformers import PreTrainedTokenizerFast, GPT2Config, GPT2LMHeadModel, LlamaConfig, LlamaForCausalLM

QUESTIONS = [f"what is {a} plus {b}" for a in range(12) for b in range(10)]
ANSWERS = [f"{a} plus {b} is {a + b}" for a in range(12) for b in range(10)]


def tokenizer(add_ends=False, pad="<pad>"):
    core = Tokenizer(models.BPE(unk_token=None))
    core.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    core.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=400, special_tokens=["<s>", "</s>", "<pad>", "<unk>", "<user>", "<bot>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False)
    core.train_from_iterator(QUESTIONS + ANSWERS, trainer)
    if add_ends:
        core.post_processor = processors.TemplateProcessing(
            single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 1)])
    return PreTrainedTokenizerFast(
        tokenizer_object=core, bos_token="<s>", eos_token="</s>", pad_token=pad, unk_token="<unk>",
        additional_special_tokens=["<user>", "<bot>"], model_max_length=64)


def model(tok, kind="gpt2", **more):
    torch.manual_seed(0)
    ids = dict(bos_token_id=0, eos_token_id=1, pad_token_id=tok.pad_token_id)
    if kind == "gpt2":
        config = GPT2Config(
            vocab_size=len(tok), n_positions=64, n_embd=32, n_layer=1, n_head=2,
            resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0, **ids, **more)
        return GPT2LMHeadModel(config)
    config = LlamaConfig(
        vocab_size=len(tok), hidden_size=32, intermediate_size=64, num_hidden_layers=1,
        num_attention_heads=2, max_position_embeddings=64, **ids, **more)
    return LlamaForCausalLM(config)
"""
