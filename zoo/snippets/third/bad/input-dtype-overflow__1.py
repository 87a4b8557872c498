# blending two exposures for the denoiser, notebook export
# In[3]:
import cv2
import numpy as np
import torch

def load_pair(stem):
    dark = cv2.imread(f"raw/{stem}_dark.png", cv2.IMREAD_GRAYSCALE)
    bright = cv2.imread(f"raw/{stem}_bright.png", cv2.IMREAD_GRAYSCALE)
    return dark, bright

# In[4]:
def make_input(stem):
    dark, bright = load_pair(stem)
    fused = (dark + bright) / 2
    return torch.from_numpy(fused.astype(np.float32) / 255.0)[None]

# In[7]:
class Exposures(torch.utils.data.Dataset):
    def __init__(self, stems, masks):
        self.stems, self.masks = stems, masks

    def __len__(self):
        return len(self.stems)

    def __getitem__(self, i):
        return make_input(self.stems[i]), torch.from_numpy(self.masks[i])
